"""Steps of the tests of organising."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary

FILL = (
    "WITH made AS (INSERT INTO media (kind, owner_user_id, title)"
    " SELECT 'pasted_text', %(user)s, 'Number ' || n FROM generate_series(1, %(count)s) AS n RETURNING id)"
    " INSERT INTO library_media (library_id, media_id, created_at)"
    " SELECT %(library)s, id, now() - row_number() OVER () * interval '1 minute' FROM made"
)


def fill(library: UserLibrary, count: int) -> None:
    library.connection.execute(FILL, {"user": library.user, "library": library.id, "count": count})


def side(page: Page, name: str) -> Locator:
    """A line of the sidebar, whatever its count."""
    return page.get_by_role("complementary").get_by_role("button", name=name)


def expect_count(page: Page, name: str, count: int) -> None:
    expect(side(page, name).locator(".numbers")).to_have_text(f"{count:,}")


def entry(server: ServerProcess, library: UserLibrary, media_id: str) -> dict[str, Any]:
    found: dict[str, Any] = server.get(f"/api/library/{media_id}", headers={"X-User-Id": str(library.user)}).json()
    return found


def tag(page: Page, *names: str) -> None:
    """Adds a tag in the open dialog and closes it."""
    field = page.get_by_role("combobox", name="Find or create a tag")
    for name in names:
        field.fill(name)
        field.press("Enter")
        expect(field).to_have_value("")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
