"""Where a user is in a text and in its audio, as several devices say it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from nexus.db.session import Database
from tests.api.saving import ALICE, BOB, LINK, as_user, library_of, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps, article

NOW = datetime.now(UTC)
SENTENCES = [f"Sentence number {number} says something of its own. " for number in range(60)]
TEXT = "".join(SENTENCES).strip()
KEYS = {
    "media_id", "version", "fragment_idx", "offset", "fraction", "client_time", "device", "audio_ms", "audio_time",
    "audio_device",
}  # fmt: skip


def body(minutes: float, **values: Any) -> dict[str, Any]:
    """The body of a request that is sent `minutes` from now by the clock of the device."""
    return values | {"client_time": (NOW + timedelta(minutes=minutes)).isoformat()}


def place(offset: int, fraction: float = 0.5, **values: Any) -> dict[str, Any]:
    return {"fragment_idx": 0, "offset": offset, "fraction": fraction} | values


def put(client: httpx2.Client, media: object, sent: dict[str, Any], user: UUID = ALICE) -> dict[str, Any]:
    response = client.put(f"/api/library/{media}/position", json=sent, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def get(client: httpx2.Client, media: object, user: UUID = ALICE) -> dict[str, Any]:
    response = client.get(f"/api/library/{media}/position", headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def ready(client: httpx2.Client, steps: LifecycleSteps, user: UUID = ALICE, words: str = TEXT) -> str:
    return str(steps.succeed_item(save(client, user), words, canonical_url=LINK))


def test_the_later_place_counts_and_users_do_not_share_it(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = ready(client, steps)
    steps.merge_item(save(client, BOB), UUID(media))
    nowhere = get(client, media)
    assert set(nowhere) == KEYS
    assert nowhere == dict.fromkeys(KEYS) | {"media_id": media}
    phone = put(client, media, body(-10, **place(100, 0.2), device="Android"))
    assert (phone["offset"], phone["fraction"], phone["device"], phone["version"]) == (100, 0.2, "Android", 1)
    assert put(client, media, body(-20, **place(900, 0.9), device="Linux")) == phone, "written earlier, sent later"
    assert put(client, media, body(-10, **place(900, 0.9))) == phone, "the same moment: the first stays"
    laptop = put(client, media, body(-5, **place(500, 0.4), device="Li\x00nux\n"))
    assert (laptop["offset"], laptop["device"]) == (500, "Linux")
    assert get(client, media) == laptop
    assert get(client, media, BOB)["offset"] is None
    put(client, media, body(-1, **place(7)), BOB)
    assert get(client, media) == laptop


def test_a_clock_that_is_ahead_counts_as_now(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = ready(client, steps)
    ahead = put(client, media, body(60 * 24 * 365, **place(100)))
    assert datetime.fromisoformat(ahead["client_time"]) <= datetime.now(UTC)
    later = {**place(300), "client_time": (datetime.now(UTC) + timedelta(seconds=1)).isoformat()}
    assert put(client, media, later)["offset"] == 300
    put(client, media, place(400) | {"client_time": "0001-01-01T00:00:00+14:00"})
    assert get(client, media)["offset"] == 300


def test_text_and_audio_settle_each_by_its_own_time(client: httpx2.Client, database: Database) -> None:
    media = save_episode(database, ALICE, fragments_of("Welcome.", "Goodbye."), audio_url="https://example.com/a.mp3")
    put(client, media, body(-9, audio_ms=60_000, device="Phone"))
    put(client, media, body(-8, **place(2, fragment_idx=1), device="Laptop"))
    found = put(client, media, body(-9.5, **place(0), audio_ms=1))
    assert (found["fragment_idx"], found["offset"], found["audio_ms"]) == (1, 2, 60_000)
    assert (found["device"], found["audio_device"]) == ("Laptop", "Phone")
    found = put(client, media, body(-8.5, **place(0), audio_ms=70_000))
    assert (found["fragment_idx"], found["audio_ms"]) == (1, 70_000)
    assert datetime.fromisoformat(found["audio_time"]) < datetime.fromisoformat(found["client_time"])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(1, 40), st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)),
        min_size=1, max_size=6, unique_by=lambda write: write[0],
    )
)  # fmt: skip
def test_in_whatever_order_the_writes_of_devices_come_the_latest_stay(
    client: httpx2.Client, steps: LifecycleSteps, writes: list[tuple[int, int | None, int | None]]
) -> None:
    """One device was offline: the position it sends is older than the stored one."""
    media = steps.media_of(save(client, pasted_text="Some words to be read."))
    for minutes, offset, audio in writes:
        parts = (place(offset) if offset is not None else {}) | ({"audio_ms": audio} if audio is not None else {})
        if parts:
            put(client, media, body(-minutes, **parts))
    found = get(client, media)
    latest = sorted(writes)
    assert found["offset"] == next((offset for _, offset, _ in latest if offset is not None), None)
    assert found["audio_ms"] == next((audio for *_, audio in latest if audio is not None), None)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"fragment_idx": 0, "offset": 0},
        place(-1),
        place(0, 1.5),
        place(0) | {"device": "x" * 101},
        {"audio_ms": -1},
        place(0) | {"client_time": "2026-01-01T00:00:00"},
        place(0) | {"page": 1},
    ],
)
def test_what_is_no_position(client: httpx2.Client, sent: dict[str, Any]) -> None:
    media = save(client, pasted_text="Words")
    response = client.put(f"/api/library/{media}/position", json=body(0) | sent, headers=as_user(ALICE))
    problem(response, 422, "invalid_request")


def test_nobody_is_anywhere_in_what_cannot_be_read(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = steps.media_of(save(client))
    for sent in (body(0, **place(0)), body(0, audio_ms=1)):
        response = client.put(f"/api/library/{media}/position", json=sent, headers=as_user(ALICE))
        problem(response, 409, "media_not_ready")


def test_other_devices_get_an_event(dev_server: str, client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = ready(client, steps)
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        put(client, media, body(-5, **place(100)))
        assert mine.next() == ("position", get(client, media))
        put(client, media, body(-6, **place(200)))  # changes nothing: nobody is told
        put(client, media, body(-4, **place(300)))
        assert mine.next() == ("position", get(client, media))
        theirs.nothing_more()
        mine.nothing_more()


def test_a_new_version_keeps_the_sentence(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = ready(client, steps)
    before = TEXT.index(SENTENCES[40])
    put(client, media, body(-5, **place(before)))
    changed = (
        "A whole new beginning, with a note of the editor. " + TEXT.replace(SENTENCES[3], "") + " An addition." * 30
    )
    save(client)
    assert steps.succeed(steps.claim_one(), article(LINK, changed)) == "new_version"
    found = get(client, media)
    assert (found["version"], found["offset"]) == (2, changed.index(SENTENCES[40]))
    # A device that still shows the first version says where in that one.
    found = put(client, media, body(-4, **place(TEXT.index(SENTENCES[50]), version=1)))
    assert (found["version"], found["offset"]) == (2, changed.index(SENTENCES[50]))
    # One that knows a version or a fragment that is not there has at least said how far.
    for sent in (place(5, 0.5, version=9), place(5, 0.5, fragment_idx=9)):
        found = put(client, media, {**sent, "client_time": datetime.now(UTC).isoformat()})
        assert (found["fragment_idx"], found["offset"]) == (0, round(len(changed) / 2))


def test_a_position_follows_its_entry_and_goes_with_it(
    client: httpx2.Client, steps: LifecycleSteps, connection: Connection
) -> None:
    short = save(client, url="https://example.com/short")
    claim = steps.claim_one()
    steps.succeed(claim, article("https://example.com/short", "A short text with a few sentences. This is another."))
    old = steps.media_of(short)
    put(client, old, body(-5, **place(35), audio_ms=5))
    client.post(f"/items/{short}/keep", headers=as_user(ALICE)).raise_for_status()
    kept = steps.media_of(short)
    assert kept != old
    assert (get(client, kept)["offset"], get(client, kept)["audio_ms"], get(client, kept)["version"]) == (35, 5, 1)
    assert get(client, old) == get(client, kept), "under the id it had before"

    # Merged by the worker: the later of both stays.
    mine = ready(client, steps)
    again = steps.media_of(save(client))
    put(client, mine, body(-3, **place(100)))
    connection.execute(
        "INSERT INTO positions (user_id, media_id, text_at, fragment_idx, text_offset, words, share, fraction)"
        " VALUES (%s, %s, now() - interval '1 minute', 0, 0, %s, 0, 0.7)",
        [ALICE, again, SENTENCES[20]],
    )
    connection.commit()
    assert steps.succeed(steps.claim_one(), article(LINK, TEXT), min_chars=0) == "merged"
    assert (get(client, mine)["offset"], get(client, mine)["fraction"]) == (TEXT.index(SENTENCES[20]), 0.7)

    # Bob has the text, too: Alice's place in it goes with her entry.
    steps.merge_item(save(client, BOB), UUID(mine))
    put(client, mine, body(-1, **place(9)), BOB)
    client.delete(f"/media/{mine}", headers=as_user(ALICE)).raise_for_status()
    problem(client.get(f"/api/library/{mine}/position", headers=as_user(ALICE)), 404, "not_found")
    connection.execute(
        "INSERT INTO library_media (library_id, media_id) VALUES (%s, %s)", [library_of(client, ALICE), mine]
    )
    connection.commit()
    assert get(client, mine)["offset"] is None
    assert get(client, mine, BOB)["offset"] == 9
