"""All steps of reading, on pages made to break them: text or a named error, and the process survives."""

from collections.abc import Iterator

import pytest

from nexus.errors import NexusError
from nexus.text.process_pool import ProcessPool
from nexus.text.read_page import ReadPage, read_page
from tests.pure.process_pool.test_process_pool_bad_input import BAD_PAGES

NAMED = {"text_timeout", "text_out_of_memory", "unparsable_html"}
GOOD = b"<article><p>The next page is read as if nothing had been, word for word and to its end.</p></article>"


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, deadline_seconds=60) as opened:
        yield opened


def read(pool: ProcessPool, data: bytes) -> ReadPage:
    return pool.run(read_page, data, content_type="text/html; charset=utf-8", url="https://example.org/a/")


@pytest.mark.parametrize("name", sorted(BAD_PAGES))
def test_bad_page_gives_text_or_a_named_error(pool: ProcessPool, name: str) -> None:
    try:
        page = read(pool, BAD_PAGES[name].encode(errors="replace"))
    except NexusError as error:
        assert error.code in NAMED  # noqa: PT017 - either outcome is right, a third is not
    else:
        assert page.text
    assert "nothing had been" in read(pool, GOOD).text


def test_html_and_text_say_the_same_and_links_are_whole(pool: ProcessPool) -> None:
    page = read(pool, GOOD.replace(b"nothing", b"<a href='b?c#d'>nothing</a>"))
    assert 'href="https://example.org/a/b?c#d"' in page.html_sanitized
    assert page.text == "The next page is read as if nothing had been, word for word and to its end."
    assert page.verdict.outcome == "ok"


def test_base_of_the_page_counts(pool: ProcessPool) -> None:
    data = b"<head><base href='https://other.example/x/'></head>" + GOOD.replace(b"nothing", b"<a href='b'>nothing</a>")
    assert 'href="https://other.example/x/b"' in read(pool, data).html_sanitized
