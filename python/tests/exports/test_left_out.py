"""Entries that are left out of an export because their process failed are in the log, with the reason."""

from collections.abc import Iterator

import pytest

from nexus.services.downloads.picture_files import StoredPicture
from nexus.services.exports.formats.books import HtmlOrEpub
from nexus.services.exports.formats.format_tools import FormatTools
from nexus.services.exports.formats.notes.markdown_notes import MarkdownNotes
from nexus.text.process_pool import ProcessPool
from nexus.text.sanitize import sanitize_html
from tests.api.pictures import picture
from tests.api.saving import save
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps

TEXT = '<p>Words</p><img src="https://example.org/one.png">'


@pytest.fixture
def slow_tools(exports: Exports) -> Iterator[FormatTools]:
    """Processes that never answer in time."""
    exports.scratch.mkdir(parents=True, exist_ok=True)
    with ProcessPool(workers=1, deadline_seconds=1, clock_seconds=1e-9) as pool:
        yield FormatTools(pool, lambda _user, _url: StoredPicture(picture()), exports.scratch)


@pytest.mark.parametrize(
    ("format_name", "messages"),
    [
        ("html", ["a picture is left out of a file", "a text is left out of a file"]),
        ("markdown", ["a text is left out of a note"]),
    ],
)
def test_what_takes_too_long_is_left_out_and_logged(
    exports: Exports, steps: LifecycleSteps, slow_tools: FormatTools, format_name: str, messages: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    media_id = steps.succeed_item(save(exports.http), html_sanitized=sanitize_html(TEXT, "https://example.org/"))
    formats = {"html": HtmlOrEpub("html", slow_tools), "markdown": MarkdownNotes(slow_tools)}
    exports.ask(format_name)
    exports.work(formats=formats)
    for message in messages:
        (line,) = [each for each in caplog.text.splitlines() if message in each]
        assert str(media_id) in line
        assert "Reading this took longer than" in line
