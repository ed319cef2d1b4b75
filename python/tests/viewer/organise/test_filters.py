"""Tags, filters, sorts and saved searches: in the address, in the sidebar, after a reload."""

from playwright.sync_api import expect

from tests.viewer.library import UserLibrary
from tests.viewer.organise.steps import expect_count, side, tag
from tests.viewer.rows import row, titles
from tests.viewer.watching import WatchedPage, accessibility_problems


def test_tag_filter_save_the_search_and_reload(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("A comet", "<p>Words.</p>", word_count=200)
    library.article("A long comet", "<p>Words.</p>", word_count=9000)
    library.article("A recipe", "<p>Words.</p>", word_count=300)
    page = watch.open()
    expect(titles(page)).to_have_text(["A recipe", "A long comet", "A comet"])
    for title in ("A comet", "A long comet"):
        row(page, title).hover()
        page.get_by_role("button", name=f"Tags of “{title}”").click()
        tag(page, "Science/Space")
    row(page, "A recipe").hover()
    page.get_by_role("button", name="Tags of “A recipe”").click()
    tag(page, "cooking")
    expect(row(page, "A comet").get_by_role("list", name="Tags")).to_have_text("Science/Space")
    expect_count(page, "Space", 2)
    side(page, "Science").first.click()  # of which Space is a part
    expect(titles(page)).to_have_text(["A long comet", "A comet"])
    page.get_by_label("Sort by").select_option("Shortest first")
    expect(titles(page)).to_have_text(["A comet", "A long comet"])
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("button", name="30 min or more").click()
    page.keyboard.press("Escape")
    expect(titles(page)).to_have_text(["A long comet"])
    expect(page).to_have_url(f"{watch.url}/?tag=Science&min=30&sort=shortest")
    page.get_by_role("button", name="Save this search").click()
    page.get_by_role("textbox", name="Name").fill("Long science for an evening by the fire")
    page.get_by_role("button", name="Save", exact=True).last.click()
    saved = side(page, "Long science for an evening by the fire").first
    expect(saved).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(titles(page)).to_have_text(["A long comet"])
    expect(saved).to_have_attribute("aria-pressed", "true")
    expect(saved.locator(".numbers")).to_have_text("1")
    expect(side(page, "Inbox").locator(".numbers")).to_be_in_viewport(ratio=1)  # the long name pushes nothing out
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Remove the filter “30 min or more”").click()
    expect(titles(page)).to_have_text(["A comet", "A long comet"])
    page.go_back()
    expect(titles(page)).to_have_text(["A long comet"])
    side(page, "Inbox").click()
    expect(titles(page)).to_have_count(3)
    saved.click()
    expect(titles(page)).to_have_text(["A long comet"])
    page.get_by_role("button", name="Remove the filter “30 min or more”").click()
    expect(titles(page)).to_have_count(2)
    row(page, "A long comet").get_by_role("button", name="The Test Post").click()
    expect(page.get_by_role("button", name="Remove the filter “example.org”")).to_be_visible()
    expect(titles(page)).to_have_count(2)


def test_tags_are_renamed_merged_coloured_and_deleted(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("First", "<p>Words.</p>")
    library.article("Second", "<p>Words.</p>")
    page = watch.open()
    row(page, "First").hover()
    page.get_by_role("button", name="Tags of “First”").click()
    page.get_by_role("combobox", name="Find or create a tag").press("Enter")  # chooses nothing, and closes
    expect(page.get_by_role("dialog")).to_have_count(0)
    for title, name in (("First", "red things"), ("Second", "Rot")):
        row(page, title).hover()
        page.get_by_role("button", name=f"Tags of “{title}”").click()
        tag(page, name)
    page.get_by_role("button", name="Manage tags").click()
    dialog = page.get_by_role("dialog", name="Manage tags")
    dialog.get_by_role("button", name="Rot 1 item").click()
    dialog.get_by_role("button", name="Teal").click()
    expect(dialog.get_by_role("button", name="Teal")).to_have_attribute("aria-pressed", "true")
    dialog.get_by_label("Name of “Rot”").fill("Red things")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.get_by_role("alert")).to_contain_text("exists already")
    assert accessibility_problems(page) == []
    dialog.get_by_role("button", name="Merge").click()
    told = page.get_by_label("Notifications").get_by_text("“Rot” merged with “red things”")
    expect(told).to_be_visible()
    told.locator("..").get_by_role("button", name="Dismiss").click()  # though a dialog is open
    expect(told).to_have_count(0)
    expect(dialog.get_by_role("button", name="2 items")).to_have_count(1)
    dialog.get_by_role("button", name="2 items").click()
    dialog.get_by_role("button", name="Delete").click()
    dialog.get_by_role("alert").get_by_role("button", name="Delete").click()
    expect(dialog).to_contain_text("There are no tags yet")
    page.keyboard.press("Escape")
    expect(page.get_by_role("list", name="Tags")).to_have_count(0)
    expect(titles(page)).to_have_count(2)
