import json
from pathlib import Path

from playwright.sync_api import Page

from nexus.services.canonicalize import canonicalize
from nexus.services.sanitize_html import sanitize_html
from tests.browser.xss_payloads import CLASSES

BY_CHROMIUM = (Path(__file__).parent / "canonical_text.js").read_text()
VECTORS = Path(__file__).parents[1] / "pure" / "vectors" / "canonical_text.json"


def test_the_vectors_hold_in_a_browser(page: Page) -> None:
    vectors = json.loads(VECTORS.read_text())["vectors"]
    texts: list[str] = page.evaluate(BY_CHROMIUM, vectors)
    assert dict(zip((vector["name"] for vector in vectors), texts, strict=True)) == {
        vector["name"]: vector["text"] for vector in vectors
    }


def test_python_and_the_browser_read_the_same_text(page: Page) -> None:
    outputs = [sanitize_html(payload, "https://e.example/") for kind in CLASSES.values() for payload in kind]
    texts: list[str] = page.evaluate(BY_CHROMIUM, [{"html": output} for output in outputs])
    assert texts == [canonicalize(output) for output in outputs]
