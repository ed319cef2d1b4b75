"""The quality gate: own pages, each imitating a real layout, with what must be in and what must stay out."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.fidelity.compare import compare_formulas

from nexus.text.extract_text import extract_text
from nexus.text.extraction.result import Extraction

PAGES = Path(__file__).with_name("pages")
EXPECTATIONS: dict[str, dict[str, Any]] = json.loads((PAGES / "expectations.json").read_text(encoding="utf-8"))


def extract(name: str) -> Extraction:
    content_type = EXPECTATIONS[name].get("content_type", "text/html; charset=utf-8")
    return extract_text((PAGES / name).read_bytes(), content_type=content_type, url="https://example.test/page")


def wrong_counts(expected: dict[str, int], html: str) -> Iterator[str]:
    for tag, count in expected.items():
        found = len(re.findall(rf"<{tag}[ >]", html))
        if found != count:
            yield f"{found} <{tag}> instead of {count}"


def faults(name: str) -> Iterator[str]:
    expected, found = EXPECTATIONS[name], extract(name)
    squashed = " ".join(found.text.split(" "))
    yield from (f"missing: {s}" for s in expected["with"] if s not in squashed)
    yield from (f"left in: {s}" for s in expected["without"] if s in squashed)
    yield from (f"markup lost: {s}" for s in expected.get("html_with", []) if s not in found.content_html)
    yield from wrong_counts(expected.get("counts", {}), found.content_html)
    yield from (
        f"formula lost: {f}"
        for f in compare_formulas(expected.get("formulas", []), found.content_html)["formulas"].lost
    )
    for key, value in (("title", found.title), ("byline", found.byline), ("language", found.lang)):
        if key in expected and value != expected[key]:
            yield f"{key} is {value!r}"
    if "published" in expected and str(found.published_at)[:10] != expected["published"]:
        yield f"published_at is {found.published_at}"
    if found.text.count("\n") + 1 < expected.get("lines", 0):
        yield f"{found.text.count(chr(10)) + 1} lines of text"
    if len(found.text) > expected.get("max_chars", 1_000_000):
        yield f"{len(found.text)} characters of text"


def test_every_page_has_expectations_and_the_gate_is_wide_enough() -> None:
    files = {p.relative_to(PAGES).as_posix() for p in PAGES.rglob("*.html")}
    assert files == set(EXPECTATIONS)
    assert len(files) >= 40


@pytest.mark.parametrize("name", sorted(EXPECTATIONS))
def test_page(name: str) -> None:
    assert list(faults(name)) == []
