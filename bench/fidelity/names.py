"""What a page says about itself: how often title, byline, site, date and language are the expected ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.fidelity.structure import plain
from nexus.text.extraction.result import Extraction

FIELDS = ("title", "byline", "site_name", "published_at", "lang")


@dataclass(frozen=True, slots=True)
class ComparedName:
    expected: str
    ours: str
    right: bool


def _same_text(expected: str, ours: str) -> bool:
    """One may hold the other: an expected title keeps the site's name, an expected byline the word "By"."""
    wanted, got = plain(expected), plain(ours)
    return bool(got) and (got in wanted or wanted in got)


def compare_names(expected: dict[str, Any], ours: Extraction) -> dict[str, ComparedName]:
    """Only what is expected: a page without a byline says nothing about ours."""
    texts = {
        "title": (expected.get("title"), ours.title),
        "byline": (expected.get("byline"), ours.byline),
        "site_name": (expected.get("siteName"), ours.site_name),
    }
    found = {name: ComparedName(w, o or "", _same_text(w, o or "")) for name, (w, o) in texts.items() if w}
    day, lang = (expected.get("publishedTime") or "")[:10], (expected.get("lang") or "").lower()
    if day:
        shown = ours.published_at.date().isoformat() if ours.published_at else ""
        found["published_at"] = ComparedName(day, shown, day == shown)
    if lang:
        shown = (ours.lang or "").lower()
        found["lang"] = ComparedName(lang, shown, lang.partition("-")[0] == shown.partition("-")[0])
    return found


def shares(pages: Sequence[dict[str, ComparedName]]) -> dict[str, dict[str, float]]:
    report = {}
    for name in FIELDS:
        found = [page[name] for page in pages if name in page]
        right = sum(n.right for n in found)
        report[name] = {"share": round(right / max(1, len(found)), 4), "right": right, "pages": len(found)}
    return report
