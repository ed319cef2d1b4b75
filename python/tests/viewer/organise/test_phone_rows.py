"""Rows on a phone: facts that do not fit into their line are visibly cut."""

from uuid import UUID

import pytest
from playwright.sync_api import Browser, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live, row
from tests.viewer.watching import accessibility_problems, fits_the_width, watched_page

# Of each fact that shows something: whether all of it lies within the row, and is not covered by the button.
OUT_OF_SIGHT = """(row) => {
  const edge = row.querySelector('.actions').getBoundingClientRect().left;
  return [...row.querySelectorAll('.facts > *')]
    .filter((fact) => fact.getBoundingClientRect().width > 0)
    .filter((fact) => fact.getBoundingClientRect().right - parseFloat(getComputedStyle(fact).marginRight) > edge + 20)
    .map((fact) => fact.textContent);
}"""


@pytest.mark.parametrize("width", [320, 390])
def test_tags_of_a_row_are_counted_where_they_have_no_room(
    browser: Browser, server: ServerProcess, user: UUID, library: UserLibrary, width: int
) -> None:
    long = library.article("Many tags", "<p>Words.</p>", site_name="The Post of a Place with a Long Name")
    both = library.article("A long tag", "<p>Words.</p>", site_name="Commit Log")
    short = library.article("One tag", "<p>Words.</p>", site_name="The Post")
    with watched_page(browser, server.url, user=user, viewport={"width": width, "height": 844}) as watch:
        wordy = ["a rather long name of a tag for a small screen", "later"]
        for media, names in ((long, ["astronomy and physics", "evening", "later"]), (short, ["later"]), (both, wordy)):
            tagged = watch.page.request.patch(f"{watch.url}/api/library/{media}", data={"tags": names})
            assert tagged.ok
        page = live(watch.open())
        expect(row(page, "Many tags").locator(".tags")).to_have_text("astronomy and physics+2")
        more = row(page, "Many tags").get_by_role("img", name="and “evening”, “later”")
        expect(more).to_have_text("+2")
        expect(more).to_be_in_viewport(ratio=1)
        expect(row(page, "One tag").locator(".tags")).to_have_text("later")
        site = row(page, "A long tag").get_by_role("button", name="Commit Log")
        assert site.evaluate("(site) => site.getBoundingClientRect().width") > 44
        for title in ("Many tags", "One tag", "A long tag"):
            assert row(page, title).evaluate(OUT_OF_SIGHT) == []
        name = row(page, "Many tags").locator(".name")
        assert name.evaluate("(name) => getComputedStyle(name).textOverflow") == "ellipsis"
        assert name.evaluate("(name) => name.getBoundingClientRect().width") > 20
        fits_the_width(page)
        assert accessibility_problems(page) == []
