"""Illegal writes to the positions; test_schema_refuses.py tries them."""

from collections.abc import Callable

from psycopg import Connection

from tests import factories as make

Illegal = Callable[[Connection], object]
TEXT = {"text_at": "now", "fragment_idx": 0, "text_offset": 0, "words": "", "share": 0, "fraction": 0}
AUDIO = {"audio_at": "now", "audio_ms": 0}


def position(**values: object) -> Illegal:
    return lambda db: make.insert(db, "positions", user_id=make.user(db), media_id=make.ready_media(db), **values)


REFUSED_POSITIONS: list[tuple[str, Illegal]] = [
    ("ck_positions_something", position(text_device="Linux")),
    *(("ck_positions_text_is_whole", position(**AUDIO, **TEXT | {name: None})) for name in TEXT),
    ("ck_positions_audio_is_whole", position(**TEXT, audio_ms=1)),
    ("ck_positions_audio_is_whole", position(**TEXT, audio_at="now")),
    *(
        ("ck_positions_ranges", position(**TEXT | AUDIO | {name: value}))
        for name, value in {
            "fragment_idx": -1,
            "text_offset": -1,
            "audio_ms": -1,
            "share": 1.1,
            "fraction": -0.1,
        }.items()
    ),
    ("ck_positions_lengths", position(**TEXT | {"words": "x" * 101})),
    ("ck_positions_lengths", position(**TEXT, text_device="x" * 101)),
]
