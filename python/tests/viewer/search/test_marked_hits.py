"""A text that was opened from a search: every hit is marked, and buttons lead from one to the next."""

import re

from playwright.sync_api import Page, expect

from tests.processes import eventually
from tests.viewer.library import UserLibrary
from tests.viewer.rows import row
from tests.viewer.search.marks import bar, marked
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width

FILLER = "".join(f"<p>Paragraph {number}. {'It is the text between the words. ' * 20}</p>" for number in range(12))
HTML = (
    f"<p>We like running by the sea.</p>{FILLER}<p>They <b>r</b>un with a zébra 🦓 and a zebra.</p>{FILLER}"
    f"<pre><code>{'x = 1; ' * 60} run()</code></pre><p>The runner runs home.</p>"
)


def open_result(watch: WatchedPage, library: UserLibrary, q: str, title: str) -> Page:
    library.wait_until_found(q, 1)
    page = watch.open(f"/?q={q.replace(' ', '+')}")
    row(page, title).get_by_role("link", name=title, exact=True).click()
    expect(bar(page)).to_be_visible()
    return page


def is_at(page: Page, place: str, words: str) -> None:
    expect(bar(page).get_by_role("status")).to_contain_text(place)
    eventually(lambda: marked(page)["current"] == [words] and marked(page)["inSight"], f"{words} is not in sight")


def test_all_hits_are_marked_and_reached_with_keys_and_buttons(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("About sport", HTML, lang="en")
    page = open_result(watch, library, "run zebra ", "About sport")
    expect(page).to_have_url(re.compile(r"/read/.*q=run\+zebra"))
    is_at(page, "2 of 6", "run")  # where both words are together
    assert marked(page)["hits"] == ["running", "run", "zébra", "zebra", "run", "runs"]
    page.keyboard.press("n")
    is_at(page, "3 of 6", "zébra")
    bar(page).get_by_role("button", name="Next result in the text").click()
    is_at(page, "4 of 6", "zebra")
    page.keyboard.press("n")
    is_at(page, "5 of 6", "run")  # in its own box, which is scrolled sideways
    page.keyboard.press("n")
    is_at(page, "6 of 6", "runs")
    page.keyboard.press("n")
    is_at(page, "1 of 6", "running")
    page.keyboard.press("N")
    is_at(page, "6 of 6", "runs")
    bar(page).get_by_role("button", name="Previous result in the text").click()
    is_at(page, "5 of 6", "run")
    assert accessibility_problems(page) == []
    page.keyboard.press("Escape")
    expect(bar(page)).to_have_count(0)
    eventually(lambda: marked(page)["hits"] == [], "still marked")
    expect(page).not_to_have_url(re.compile("q="))
    page.go_back()
    expect(page.get_by_role("combobox", name="Search everything")).to_have_value("run zebra ")


def test_on_a_phone_the_bar_fits_and_ends_with_its_button(watch: WatchedPage, library: UserLibrary) -> None:
    watch.page.set_viewport_size({"width": 390, "height": 844})
    library.article("About a very long search", HTML, lang="en")
    page = open_result(watch, library, "running zebra sea home between the words of it ", "About a very long search")
    fits_the_width(page)
    box = bar(page).bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    bar(page).get_by_role("button", name="Stop marking").click()
    expect(bar(page)).to_have_count(0)


def test_lines_of_a_transcript_are_marked_without_their_speakers(watch: WatchedPage, library: UserLibrary) -> None:
    cues = [(f"<p><strong>Ann:</strong> Line {n} of it.</p>", n * 1000, n * 1000 + 900) for n in range(120)]
    cues[40] = ("<p><strong>Ben:</strong> A zebra came.</p>", 40_000, 40_900)
    cues[100] = ("<p>Two zebras, Ann said.</p>", 100_000, 100_900)
    library.episode("On air", cues, lang="en")
    page = open_result(watch, library, "zebra ", "On air")
    is_at(page, "1 of 2", "zebra")
    page.keyboard.press("n")
    is_at(page, "2 of 2", "zebras")


def test_a_search_that_cannot_be_marked_says_so_and_shows_the_paragraph(
    watch: WatchedPage, library: UserLibrary
) -> None:
    library.article("About sport", HTML, lang="en")
    watch.page.route("**/hits?*", lambda route: route.abort())
    page = open_result(watch, library, "zebra ", "About sport")
    expect(bar(page)).to_contain_text("can't be marked right now")
    expect(page.locator(".prose .found")).to_be_in_viewport()
    bar(page).get_by_role("button", name="Stop marking").click()
    expect(bar(page)).to_have_count(0)


def test_the_next_text_of_the_list_is_marked_too(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("First zebra", "<p>One zebra.</p>", lang="en")
    library.article("Second zebra", "<p>Two zebras, and a zebra.</p>", lang="en")
    library.wait_until_found("zebra ", 2)
    page = watch.open("/?q=zebra+&by=date")
    row(page, "Second zebra").get_by_role("link", name="Second zebra", exact=True).click()
    expect(bar(page).get_by_role("status")).to_contain_text("1 of 2")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_have_text("First zebra")
    expect(bar(page).get_by_role("status")).to_contain_text("1 of 1")
    eventually(lambda: marked(page)["hits"] == ["zebra"], "not marked")


def test_related_texts_are_below_the_text(watch: WatchedPage, library: UserLibrary) -> None:
    words = "Lighthouse keepers trimmed the lamp, wound the clockwork and logged every passing ship."
    text = library.article("The keeper", f"<p>{words} Storms came.</p>", lang="en")
    library.article("Another keeper", f"<p>{words} Fog came.</p>", lang="en")
    for number in range(20):  # a word of every third entry tells nothing
        library.article(
            f"Bread {number}", "<p>Flour, water and salt rest overnight, then they are baked.</p>", lang="en"
        )
    library.wait_until_found("came ", 2)
    library.wait_until_found("flour ", 20)
    page = watch.open(f"/read/{text}")
    related = page.get_by_role("region", name="Related in your library")
    expect(related.get_by_role("link")).to_contain_text(["Another keeper"])
    expect(related).not_to_contain_text("Bread")
    assert accessibility_problems(page) == []
    related.get_by_role("link", name="Another keeper").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Another keeper")
    expect(related.get_by_role("link")).to_contain_text(["The keeper"])
