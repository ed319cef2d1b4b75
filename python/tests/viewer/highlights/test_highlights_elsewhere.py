"""Highlights on two devices at once, in texts that change, in browsers that cannot draw them, and at their limits."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, expect
from psycopg import sql

from tests.processes import ServerProcess, eventually
from tests.viewer.highlights.steps import (
    drag_over,
    highlight,
    is_drawn,
    is_sent,
    on_server,
    open_highlight,
    panel,
    select,
    toolbar,
)
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live
from tests.viewer.watching import WatchedPage, accessibility_problems, watched_page

HTML = (
    "<p>The bridge was opened in the spring of that year.</p>"
    "<p>It is three hundred metres long, and nobody has measured it since.</p>"
    "<p>Every winter it is closed because of the ice.</p>"
)
CHANGED = (
    "<p>A note of the editors comes first.</p><p>The bridge was opened in the spring of that year.</p>"
    "<p>Every winter it is closed because of the ice.</p><p>Entirely other words are here.</p>"
)
WITHOUT_API = "delete Object.getPrototypeOf(CSS).highlights; delete CSS.highlights; delete window.Highlight;"
BOX = "(one) => ['x', 'y', 'width', 'height'].map((side) => Math.round(one.getBoundingClientRect()[side]))"
BOXES = "() => [...document.querySelectorAll('.marks i')].map((box) => box.className)"


@pytest.fixture
def media(library: UserLibrary) -> str:
    return library.article("The bridge", HTML)


@pytest.fixture
def phone(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url, user=user, viewport={"width": 390, "height": 844}) as watching:
        yield watching


def opened(watch: WatchedPage, media: str, query: str = "") -> Page:
    page = live(watch.open(f"/read/{media}{query}"))
    expect(page.locator(".prose").first).to_be_visible()
    return page


def test_two_devices_see_each_other_at_once(watch: WatchedPage, phone: WatchedPage, media: str) -> None:
    one, other = opened(watch, media), opened(phone, media)
    highlight(one, "three hundred metres", color="green")
    is_drawn(other, {"green": ["three hundred metres"]})
    highlight(other, "because of the ice", color="pink")
    both = {"green": ["three hundred metres"], "pink": ["because of the ice"]}
    is_drawn(one, both)
    open_highlight(other, "hundred").get_by_role("button", name="Blue").click()
    is_drawn(one, {"blue": ["three hundred metres"], "pink": ["because of the ice"]})
    open_highlight(one, "of the ice").get_by_role("button", name="Delete").click()
    is_drawn(other, {"blue": ["three hundred metres"]})
    is_drawn(one, {"blue": ["three hundred metres"]})


def test_highlights_follow_the_text_and_orphans_are_attached_by_hand(
    watch: WatchedPage, library: UserLibrary, media: str
) -> None:
    page = opened(watch, media)
    highlight(page, "opened in the spring", color="green")
    highlight(page, "three hundred metres long", color="pink")
    is_sent(page)
    library.new_version(media, CHANGED)
    carried = {(1, "orphaned"), (2, "attached")}

    def is_carried() -> bool:
        return {(one["version"], one["state"]) for one in on_server(watch, media)} == carried

    eventually(is_carried, "they were not carried over")

    # Who is reading keeps the text with what was marked in it, until the new one is asked for.
    page.get_by_role("button", name="Show the new text").click()
    expect(page.locator(".prose")).to_contain_text("A note of the editors")
    is_drawn(page, {"green": ["opened in the spring"]})

    listed = panel(page)
    orphan = listed.get_by_role("listitem").filter(has_text="three hundred metres long")
    expect(orphan).to_contain_text("These words are not in the current text.")
    assert accessibility_problems(page) == []
    orphan.get_by_role("button", name="Open the version it was made in").click()
    expect(page.locator(".prose")).to_contain_text("three hundred metres long")
    is_drawn(page, {"green": ["opened in the spring"], "pink": ["three hundred metres long"]})  # found by its words
    toolbar(page, "Highlight")
    page.get_by_role("link", name="Show the current text").click()
    expect(page.locator(".prose")).to_contain_text("A note of the editors")

    panel(page).get_by_role("button", name="Attach to another place").click()
    drag_over(page, "Entirely other words")
    page.get_by_role("button", name="Attach here").click()
    is_drawn(page, {"green": ["opened in the spring"], "pink": ["Entirely other words"]})
    is_sent(page)
    assert {(one["quote"], one["version"], one["state"]) for one in on_server(watch, media)} == {
        ("opened in the spring", 2, "attached"),
        ("Entirely other words", 2, "attached"),
    }


def test_the_text_that_is_open_keeps_its_marks_while_a_new_version_comes(
    watch: WatchedPage, library: UserLibrary, media: str
) -> None:
    page = opened(watch, media)
    highlight(page, "opened in the spring", color="green")
    is_sent(page)
    library.new_version(media, CHANGED)
    eventually(lambda: on_server(watch, media)[0]["version"] == 2, "it was not carried over")
    at = {"start": {"fragment_idx": 0, "offset": 2}, "end": {"fragment_idx": 0, "offset": 6}}
    assert page.request.post(f"{watch.url}/media/{media}/highlights", data={"version": 2, "quote": "note"} | at).ok
    expect(panel(page).get_by_role("heading", name="Highlights (2)")).to_be_visible()  # it knows of both
    page.keyboard.press("Escape")
    is_drawn(page, {"green": ["opened in the spring"]})
    highlight(page, "because of the ice", color="blue")  # of the earlier text, found in the new one
    is_sent(page)
    is_drawn(page, {"green": ["opened in the spring"], "blue": ["because of the ice"]})
    assert len(on_server(watch, media)) == 3
    assert {one["version"] for one in on_server(watch, media)} == {2}


def test_a_browser_without_highlights_of_its_own_draws_boxes(
    browser: Browser, server: ServerProcess, user: UUID, media: str
) -> None:
    with watched_page(browser, server.url, user=user) as watch:
        watch.page.add_init_script(WITHOUT_API)
        page = opened(watch, media)
        assert not page.evaluate("'highlights' in CSS")
        highlight(page, "three hundred metres", color="green")
        page.wait_for_function(f"() => ({BOXES})().join() === 'green'")
        box = page.locator(".marks i").evaluate(BOX)
        words = page.evaluate(
            """() => {
          const { firstChild: text } = document.querySelectorAll('.prose p')[1];
          const range = document.createRange();
          range.setStart(text, text.data.indexOf('three'));
          range.setEnd(text, text.data.indexOf('metres') + 6);
          return (BOX)(range);
        }""".replace("BOX", BOX)
        )
        assert box == words
        page.set_viewport_size({"width": 420, "height": 800})  # the words move
        page.wait_for_function("() => document.querySelector('.marks i').getBoundingClientRect().right < 420")
        open_highlight(page, "hundred").get_by_role("button", name="Delete").click()
        page.wait_for_function(f"() => ({BOXES})().length === 0")
        is_sent(page)
        assert page.request.get(f"{watch.url}/media/{media}/highlights").json()["data"] == []


def test_limits_are_told(watch: WatchedPage, library: UserLibrary, media: str) -> None:
    page = opened(watch, media)
    select(page, "three hundred metres").get_by_role("button", name="Note").click()
    note = page.get_by_role("textbox", name="Note")
    note.fill("🦓" * 10_001)
    expect(page.get_by_text("A note has at most 10,000 characters, this one has 10,001.")).to_be_visible()
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    assert accessibility_problems(page) == []
    note.fill("🦓" * 10_000)
    page.get_by_role("button", name="Save", exact=True).click()
    is_sent(page)
    assert len(on_server(watch, media)[0]["note"]) == 10_000

    fill(library, media, 9_999)
    page.reload()
    expect(page.locator(".prose")).to_be_visible()
    highlight(page, "because of the ice", color="pink")
    refused = page.get_by_text("Couldn't save the highlight. ")
    expect(refused).to_contain_text("which is the limit. Delete one of them first.")
    page.wait_for_function("() => !CSS.highlights.has('mark-pink')")


def fill(library: UserLibrary, media: str, count: int) -> None:
    """Adds so many copies of the first highlight, without its note."""
    read = library.connection.execute("SELECT * FROM highlights WHERE media_id = %s", [media])
    names = [column.name for column in read.description or () if column.name not in {"id", "note"}]
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    more = sql.SQL(
        "INSERT INTO highlights (id, {0}) SELECT gen_random_uuid(), {0} FROM highlights, generate_series(1, %s)"
        " WHERE media_id = %s"
    )
    library.connection.execute(more.format(columns), [count, media])
