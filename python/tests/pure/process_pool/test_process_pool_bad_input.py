"""Each bad page gives text or a named error, and the next page is read as usual."""

import random
from collections.abc import Iterator

import pytest

from nexus.errors import NexusError
from nexus.text.process_pool import ProcessPool
from tests.pure.process_pool.page_reading import read_page

BAD_PAGES = {
    "nested-div-200-kb": "<div>" * 40_000 + "end",
    "nested-lists-200-kb": "<ul><li>" * 25_000 + "end",
    "nested-mixed-200-kb": "<font><p>" * 22_000 + "end",
    "nested-tables-200-kb": "<table><tr><td>" * 13_000 + "end",
    "nested-formatting-200-kb": "<b><i><u>" * 22_000 + "end",
    "nested-links-200-kb": "<a href=x>" * 20_000 + "end",
    "attributes-50-000": "<p " + " ".join(f"a{number}=1" for number in range(50_000)) + ">end",
    "depth-300": "<div>" * 300 + "deep" + "</div>" * 300 + "end",
    "one-line-2-mb": "word " * 400_000 + "end",
    "angle-brackets": "<" * 200_000 + " end",
    "ampersands": "&" * 200_000 + "end",
    "comment-openers": "<!--" * 50_000 + "-->end",
    "images": "<img src=x data-src=y>" * 20_000 + "end",
    "long-srcset": "<img srcset='" + "a.png 1x, " * 50_000 + "'>end",
    "spaces-in-srcset": "<img srcset='" + "a " * 100_000 + "'>end",
    "commas-in-srcset": "<img srcset='" + "," * 200_000 + "'>end",
    "nul-bytes": "<p>a\0b</p>" * 1000 + "end",
    "lone-surrogates": "<p>\ud800\udfff</p>" * 1000 + "end",
    "wrong-charset-label": '<meta charset="utf-16"><p>Grüße, 世界</p>end',
    "latin-1-read-as-utf-8": "Grüße".encode("latin-1").decode("utf-8", "replace") + "end",
    "binary-labelled-html": random.Random(7).randbytes(200_000).decode("latin-1") + "\nend",
    "empty": "",
    "entities": "&CounterClockwiseContourIntegral;" * 10_000 + "end",
}
# Random bytes open an element or a comment that nothing closes, in a browser as well.
SWALLOWED = {"empty", "binary-labelled-html"}


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, deadline_seconds=60, memory_bytes=1 << 30) as opened:
        yield opened


def outcome_of(pool: ProcessPool, html: str) -> tuple[str, str]:
    try:
        return pool.run(read_page, html)
    except NexusError as error:
        return "", error.code


@pytest.mark.parametrize("name", sorted(BAD_PAGES))
def test_a_bad_page_is_read_to_its_end(pool: ProcessPool, name: str) -> None:
    text, outcome = outcome_of(pool, BAD_PAGES[name])
    assert outcome in {"ok", "needs_browser"}
    assert "\0" not in text
    assert name in SWALLOWED or text.endswith("end")
    assert outcome_of(pool, "<p>next</p>") == ("next", "ok")


def test_a_page_that_needs_too_much_memory_is_named_and_the_next_one_is_read() -> None:
    with ProcessPool(workers=1, deadline_seconds=60, memory_bytes=160 << 20) as narrow:
        assert outcome_of(narrow, "<p>next</p>") == ("next", "ok")
        assert outcome_of(narrow, "<b>x" * 4_000_000)[1] in {"text_out_of_memory", "text_crash"}
        assert outcome_of(narrow, "<p>next</p>") == ("next", "ok")
