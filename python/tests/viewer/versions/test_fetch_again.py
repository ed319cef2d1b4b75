"""Fetching again from the reader, with a page that changes between fetches."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.viewer.library import UserLibrary
from tests.viewer.rows import row, save
from tests.viewer.site import SENTENCE, Site, SiteResponse, article
from tests.viewer.versions.test_versions import NEW, OLD, choose
from tests.viewer.watching import WatchedPage

WHAT_HAPPENED = """
    SELECT items.status, items.status_detail, items.fetch_again_of IS NOT NULL AS again, attempt.attempt_no,
        attempt.rung, attempt.result, attempt.error_code, attempt.duration_ms
    FROM items LEFT JOIN extraction_attempts AS attempt ON attempt.item_id = items.id
    WHERE items.user_id = %s ORDER BY items.created_at, attempt.started_at
"""


@contextmanager
def explained(library: UserLibrary) -> Iterator[None]:
    """Where the page does not show what is expected, the error tells what the server did meanwhile."""
    try:
        yield
    except AssertionError as error:
        for facts in library.connection.execute(WHAT_HAPPENED, [library.user]):
            error.add_note(f"of the item: {facts}")
        raise


def page_with(words: str) -> SiteResponse:
    return article("The bridge", extra=f"<p>{words}</p><p>{SENTENCE}</p>")


@dataclass
class SavedPage:
    """A page of the site that the user has saved and opened."""

    path: str
    site: Site

    def becomes(self, page: SiteResponse | Callable[[], SiteResponse]) -> None:
        self.site.put(self.path, page)


@pytest.fixture
def saved(watch: WatchedPage, site: Site, library: UserLibrary) -> SavedPage:
    path = f"/bridge/{library.user}"
    url = site.put(path, page_with(OLD))
    page = watch.open()
    save(page, url)
    link = page.get_by_role("link", name="The bridge", exact=True)
    with explained(library):
        expect(link).to_be_visible()
    link.click()
    expect(page.locator(".prose")).to_contain_text(OLD)
    return SavedPage(path, site)


def test_a_new_text_is_offered_and_never_replaces_the_one_being_read(
    watch: WatchedPage, saved: SavedPage, library: UserLibrary
) -> None:
    page = watch.page
    go_on = threading.Event()

    def slow() -> SiteResponse:
        go_on.wait(300)
        return page_with(NEW)

    saved.becomes(slow)
    choose(page, "Fetch again")
    expect(page.get_by_role("status").filter(has_text="Fetching the page again…")).to_be_visible()
    go_on.set()
    offer = page.get_by_role("status").filter(has_text="The text has changed.")
    with explained(library):
        expect(offer).to_be_in_viewport()
    expect(page.locator(".prose")).to_contain_text(OLD)
    expect(page.locator(".prose")).not_to_contain_text(NEW)
    expect(page.get_by_text("The text changed on")).to_have_count(0)
    offer.get_by_role("button", name="Show the new text").click()
    expect(page.locator(".prose")).to_contain_text(NEW)
    expect(offer).to_have_count(0)
    expect(page.get_by_text("The text changed on")).to_be_visible()


def test_the_same_text_changes_nothing_and_too_soon_says_when(
    watch: WatchedPage, saved: SavedPage, library: UserLibrary
) -> None:
    page = watch.page
    choose(page, "Fetch again")
    with explained(library):
        expect(page.get_by_text("its text is the same")).to_be_visible()
    expect(page.get_by_text("The text changed on")).to_have_count(0)
    library.connection.execute("UPDATE items SET fetched_again_at = now()")  # however long the last one took
    choose(page, "Fetch again")
    expect(page.get_by_role("alert")).to_contain_text("You can fetch it again in")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (SiteResponse("<!doctype html><title>The bridge</title><article><p>Gone away.</p></article>"), "kept"),
        (SiteResponse("Nothing here", 404), "could not be fetched"),
    ],
    ids=["worse", "failed"],
)
def test_a_worse_text_or_none_is_said_and_the_text_stays(
    watch: WatchedPage, saved: SavedPage, library: UserLibrary, response: SiteResponse, said: str
) -> None:
    saved.becomes(response)
    choose(watch.page, "Fetch again")
    notices = watch.page.get_by_role("region", name="Notifications")
    with explained(library):
        expect(notices.filter(has_text=said)).to_be_visible()
    expect(watch.page.locator(".prose")).to_contain_text(OLD)


def test_a_failed_item_is_tried_again_in_the_reader(watch: WatchedPage, site: Site, library: UserLibrary) -> None:
    path = f"/late/{library.user}"
    url = site.put(path, SiteResponse("Nothing here", 404))
    page = watch.open()
    save(page, url)
    with explained(library):
        expect(row(page, path).get_by_text("Couldn't fetch")).to_be_visible()
    site.put(path, page_with(OLD))
    found = library.connection.execute("SELECT media_id FROM items WHERE user_id = %s", [library.user]).fetchone()
    assert found
    watch.open(f"/read/{found[0]}")
    page.get_by_role("button", name="Try again").click()
    with explained(library):
        expect(page.locator(".prose")).to_contain_text(OLD)
