"""Searching: the order of results, what was corrected, and narrowing them."""

from playwright.sync_api import expect

from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, accessibility_problems


def test_results_are_corrected_sorted_and_narrowed(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("The lighthouse", "<p>Its keeper wrote letters.</p>", lang="en")
    library.article("Ships", "<p>They pass the lighthouse, then another.</p>", lang="en")
    library.episode("On the sea", [("<p>We talk about lighthouses.</p>", 0, 900)], lang="en")
    library.wait_until_found("lighthouse ", 3)
    page = watch.open("/?q=ligthouse%20")
    titles = page.locator(".entry .title")
    expect(page.get_by_text("Also showing results for “lighthouse”, the word nearest to “ligthouse”.")).to_be_visible()
    expect(titles).to_have_count(3)
    expect(titles.first).to_have_text("The lighthouse")
    expect(page.get_by_role("listitem").filter(has_text="On the sea").locator("mark")).to_have_text(["lighthouses"])
    page.get_by_label("Sort by").select_option("Newest first")
    expect(titles).to_have_text(["On the sea", "Ships", "The lighthouse"])
    expect(page).to_have_url(f"{watch.url}/?by=date&q=ligthouse+")
    kinds = page.get_by_role("group", name="Narrow the results").get_by_role("group", name="Kind")
    expect(kinds.get_by_role("button")).to_have_text(["Articles 2", "Podcasts 1"])
    assert accessibility_problems(page) == []
    kinds.get_by_role("button", name="Podcasts 1").click()
    expect(titles).to_have_text(["On the sea"])
    expect(page.get_by_role("status").filter(has_text="1 result")).to_be_visible()
    page.get_by_role("button", name="Remove the filter “Podcast").click()
    expect(titles).to_have_count(3)


def test_what_is_saved_is_found_by_the_search_that_is_shown(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("The lighthouse", "<p>Its keeper wrote letters.</p>")
    library.wait_until_found("lighthouse", 1)
    page = watch.open("/?q=lighthouse")
    titles = page.locator(".entry .title")
    expect(titles).to_have_text(["The lighthouse"])
    library.article("Another lighthouse", "<p>Nobody keeps it.</p>")
    expect(titles).to_have_count(2)
