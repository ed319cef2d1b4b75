"""Reminds whoever changes how pages are read that the number of the extractor must change with it."""

import hashlib
import json
from importlib.resources import files
from pathlib import Path

from nexus.errors import NexusError
from nexus.text.extraction.model import MODEL_FILE
from nexus.text.read_page import read_page
from nexus.text.readings.extractor_version import EXTRACTOR

PAGES = Path(__file__).with_name("pages")
# How extractor N reads the pages beside this file.
READS = {1: "a3f80d85b444d5f306c6bd6bc11280cc"}
REMINDER = (
    "Pages are read differently now. Raise EXTRACTOR in nexus/text/read_page.py by one (once for all changes since the"
    " last release is enough), so that 'nexus reread' reads what older ones have read, and write here:"
)


def reading(path: Path) -> list[str]:
    try:
        page = read_page(path.read_bytes(), content_type=None, url="https://example.test/page")
    except NexusError as error:
        return [error.code]
    about = page.about
    return [page.html_sanitized, page.text, str((about.title, about.byline, about.lang, about.published_at))]


def test_another_reading_is_another_extractor() -> None:
    model = files("nexus.text.extraction").joinpath(MODEL_FILE).read_bytes()
    all_readings = {path.name: reading(path) for path in sorted(PAGES.rglob("*.html"))}
    digest = hashlib.sha256(model + json.dumps(all_readings).encode()).hexdigest()[:32]
    assert {EXTRACTOR: digest} == READS, f"{REMINDER} READS = {{{EXTRACTOR + 1}: {digest!r}}}"
