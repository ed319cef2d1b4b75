"""The downloaded page in a real Chromium: it shows its pictures and asks nobody for anything."""

import io
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.api.pictures import picture
from tests.browser.chromium import chromium, patient
from tests.downloads.conftest import SaveText
from tests.pictures.picture_steps import PictureSteps

# Tries what the page must not do: load a picture, and run a script.
ATTEMPT = """async () => {
  const refused = [];
  document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  const image = document.body.appendChild(new Image());
  const ended = new Promise((resolve) => image.addEventListener("error", resolve));
  image.src = "https://example.org/x.png";
  document.body.appendChild(document.createElement("script")).textContent = "window.ran = true";
  await ended;
  await new Promise((resolve) => setTimeout(resolve));
  return [window.ran === true, refused.sort()];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = patient(browser.new_context(offline=True, viewport={"width": 390, "height": 844}))
    yield context.new_page()
    context.close()


def photograph() -> bytes:
    written = io.BytesIO()
    Image.effect_noise((2400, 1200), 90).convert("RGB").save(written, "JPEG")
    return written.getvalue()


def test_the_page_needs_nothing_else(
    page: Page, http: httpx2.Client, picture_steps: PictureSteps, save_text: SaveText, tmp_path: Path
) -> None:
    wide, small = (
        picture_steps.publish("/wide.jpg", photograph()),
        picture_steps.publish("/small.webp", picture("WEBP", (30, 20))),
    )
    cells = "<tr>" + "<td>A long cell of a table</td>" * 12 + "</tr>"
    html = (
        f'<figure><img src="{wide}"></figure><p>x <img src="{small}"></p><table>{cells}</table><pre>{"y" * 300}</pre>'
    )
    ids = [save_text(html, title="One"), save_text("<p>שלום עולם</p>", title="Two", lang="he")]
    file = tmp_path / "page.html"
    file.write_bytes(http.get("/api/library/download", params={"format": "html", "media_id": ids}).content)
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(file.as_uri())
    widths = page.evaluate("[...document.images].map((image) => [image.complete, image.naturalWidth])")
    assert widths == [[True, 1200], [True, 30]]
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, "wide tables and code scroll by themselves"
    assert page.locator("article").nth(1).get_attribute("dir") == "rtl"
    page.get_by_role("link", name="Two").click()
    assert page.url.endswith("#a2")
    assert page.locator("#a2 h1").inner_text() == "Two"
    assert page.evaluate(ATTEMPT) == [False, ["img-src", "script-src-elem"]]
