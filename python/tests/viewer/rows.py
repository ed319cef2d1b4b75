"""The lists of the library's page: the rows of the library, and above them the items that are being sent."""

from playwright.sync_api import Locator, Page, expect


def save_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Save links or a text")


def save(page: Page, text: str) -> None:
    save_box(page).fill(text)
    page.locator("form.box").get_by_role("button", name="Save").click()


def row(page: Page, words: str) -> Locator:
    """The library's, never that of an item which is being sent: for a moment there may be both."""
    return page.locator("li.slot").filter(has_text=words)


def titles(page: Page) -> Locator:
    return page.locator("li.slot .title")


def outgoing(page: Page, words: str = "") -> Locator:
    """Items that were saved here and are not in the library yet, as far as this page knows."""
    return page.locator("li.outgoing").filter(has_text=words)


def saved(page: Page, words: str) -> Locator:
    """Its row, once the library has it and nothing is left to send: a reload or a sign-out then finds nothing to do."""
    found = row(page, words)
    expect(found).to_be_visible()
    expect(outgoing(page)).to_have_count(0)
    return found


def live(page: Page) -> Page:
    """The page, once it receives events; its user is known then, too."""
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    return page
