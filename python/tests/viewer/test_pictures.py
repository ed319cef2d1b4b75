"""The list loads thumbnails through the server; pasted Markdown is rendered."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.api.pictures import picture
from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import row, save
from tests.viewer.watching import WatchedPage, fits_the_width, watched_page

LEAD = "https://pictures.example/lead.jpg"
LOADED = "() => document.querySelector('li.slot img').naturalWidth > 0"


def requested_pictures(page: Page) -> list[str]:
    requested: list[str] = []

    def serve(route: Route) -> None:
        requested.append(route.request.url)
        route.fulfill(body=picture(), content_type="image/png")

    page.route("**/media/image?*", serve)
    return requested


def test_the_list_loads_thumbnails(watch: WatchedPage, library: UserLibrary) -> None:
    requested = requested_pictures(watch.page)
    library.article("With a picture", "<p>Some words.</p>", lead_image_url=LEAD)
    page = watch.open()
    image = row(page, "With a picture").locator("img")
    expect(image).to_be_visible()
    page.wait_for_function(LOADED)
    assert requested == [f"{watch.url}/media/image?url={quote(LEAD, safe='')}&w=160"], "a screen of one pixel per point"
    for name, value in {"width": "112", "height": "80", "loading": "lazy", "alt": ""}.items():
        expect(image).to_have_attribute(name, value)


@pytest.mark.parametrize(("width", "pixels"), [(1280, 2), (390, 3)])
def test_a_finer_screen_loads_a_larger_thumbnail_and_never_the_whole_picture(
    browser: Browser, server: ServerProcess, library: UserLibrary, width: int, pixels: int
) -> None:
    library.article("With a picture", "<p>Some words.</p>", lead_image_url=LEAD)
    screen = {"viewport": {"width": width, "height": 844}, "device_scale_factor": pixels}
    with watched_page(browser, server.url, user=library.user, **screen) as watch:
        requested = requested_pictures(watch.page)
        page = watch.open()
        expect(page.locator("li.slot img")).to_be_visible()
        page.wait_for_function(LOADED)
        assert requested == [f"{watch.url}/media/image?url={quote(LEAD, safe='')}&w=320"]


def test_pasted_markdown_is_rendered(watch: WatchedPage) -> None:
    page = watch.open()
    text = "# Tides\n\nThe **moon** pulls.\n\n## Ports\n\n- Dover\n- Calais\n\n> Time and tide\n\n```\nx = 1\n```\n"
    save(page, text)
    page.get_by_role("link", name="Tides", exact=True).click()
    prose = page.locator(".prose")
    expect(prose.get_by_role("heading", name="Ports")).to_be_visible()
    expect(prose.get_by_role("listitem")).to_have_text(["Dover", "Calais"])
    expect(prose.locator("blockquote")).to_have_text("Time and tide")
    expect(prose.locator("pre code")).to_have_text("x = 1\n")
    expect(prose.locator("strong")).to_have_text("moon")


def test_small_pictures_stay_in_their_line_and_nothing_widens_the_page(
    watch: WatchedPage, library: UserLibrary
) -> None:
    requested_pictures(watch.page)
    source = f"/media/image?url={quote(LEAD, safe='')}"
    wide = "".join(f"<td>column{i}</td>" for i in range(30))
    formula = "x_" * 200
    library.article(
        "Signs",
        f'<p>The sign <img src="{source}" height="20" width="30"> is old.</p>'
        f'<p>The map <img src="{source}" height="600" width="900"> is new.</p>'
        f'<figure><img src="{source}" width="900" height="600"><figcaption>The coast</figcaption></figure>'
        f"<p>A formula <code>{formula}</code></p><table><tr>{wide}</tr></table>",
    )
    watch.page.set_viewport_size({"width": 390, "height": 844})
    page = watch.open()
    page.get_by_role("link", name="Signs", exact=True).click()
    images = page.locator(".prose img")
    expect(images.first).to_have_class("in-line")
    display = "image => getComputedStyle(image).display"
    assert [images.nth(i).evaluate(display) for i in range(3)] == ["inline-block", "block", "block"]
    expect(images.last).to_have_attribute("width", "900")
    expect(page.locator(".prose figcaption")).to_have_text("The coast")
    size = "() => parseFloat(getComputedStyle(document.querySelector('.prose figcaption')).fontSize)"
    assert page.evaluate(size) < page.locator(".prose p").first.evaluate(
        "p => parseFloat(getComputedStyle(p).fontSize)"
    )
    fits_the_width(page)
