"""The viewer's own canonical text, in a real browser, says what Python says."""

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page

from nexus.text.canonical_text import canonicalize
from nexus.text.sanitize import sanitize_html
from tests.browser.xss_payloads import CLASSES

VIEWER = Path(__file__).parents[3] / "apps" / "viewer"
VECTORS = Path(__file__).parents[1] / "pure" / "vectors" / "canonical_text.json"
BUILD = ["node_modules/.bin/rolldown", "src/canonical-text.ts", "--format", "iife", "--name", "viewer"]


@pytest.fixture(scope="module")
def script() -> str:
    return subprocess.run(BUILD, cwd=VIEWER, capture_output=True, text=True, check=True).stdout


def texts(page: Page, script: str, documents: list[str]) -> list[str]:
    found: list[str] = page.evaluate(f"(all) => {{ {script}; return all.map(viewer.canonicalText) }}", documents)
    return found


def test_the_vectors_hold_in_a_browser(page: Page, script: str) -> None:
    vectors = json.loads(VECTORS.read_text())["vectors"]
    found = texts(page, script, [vector["html"] for vector in vectors])
    assert dict(zip((vector["name"] for vector in vectors), found, strict=True)) == {
        vector["name"]: vector["text"] for vector in vectors
    }


def test_python_and_the_browser_read_the_same_text(page: Page, script: str) -> None:
    outputs = [sanitize_html(payload, "https://e.example/") for kind in CLASSES.values() for payload in kind]
    assert texts(page, script, outputs) == [canonicalize(output) for output in outputs]
