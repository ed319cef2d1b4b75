"""Reads captured pages in child processes of the server, a few at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from nexus.errors import (
    EmptyCaptureError,
    SanitizationError,
    ServerBusyError,
    TextCrashError,
    TextMemoryError,
    TextTimeoutError,
    UnparsableHtmlError,
    UnreadableCaptureError,
)
from nexus.services.captures.new_capture import NewCapture
from nexus.services.captures.read_capture import ReadCapture, read_capture
from nexus.services.highlights.records import MAX_QUOTE_CHARS
from nexus.services.lifecycle import AttemptRecord
from nexus.text.process_pool import ProcessPool

READERS = 2
# With those that wait for a reader. Each may take a hundred megabytes while it is decoded, parsed and sent to it.
MAX_CAPTURES = 4
DEADLINE_SECONDS = 20.0

EMPTY = "There is no text in this page. If you can see some, it may be in a picture or in a frame of another site."


class CaptureReader:
    def __init__(self, *, max_original: int) -> None:
        """`max_original`: the size up to which the HTML is kept with its text."""
        self._max_original = max_original
        self._pool = ProcessPool(workers=READERS, deadline_seconds=DEADLINE_SECONDS)
        self._slots = threading.BoundedSemaphore(MAX_CAPTURES)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """For all the work of one request, so that many large ones at once do not take all memory."""
        if not self._slots.acquire(blocking=False):
            raise ServerBusyError("Too many pages are being saved at the moment. Try again in a few seconds.")
        try:
            yield
        finally:
            self._slots.release()

    def read(self, new: NewCapture) -> tuple[ReadCapture, AttemptRecord]:
        """The page and the attempt for its receipt. Raises an error with the reason if there is nothing to keep."""
        selection = new.selection if new.selection and len(new.selection) <= MAX_QUOTE_CHARS else None
        if not new.html.strip():
            raise EmptyCaptureError(EMPTY)
        started_at = datetime.now(UTC)
        try:
            read = self._pool.run(
                read_capture, new.html, url=new.url, selection=selection, max_original=self._max_original
            )
        except TextTimeoutError:
            raise UnreadableCaptureError("Reading this page took too long, so it was not saved.") from None
        except (TextCrashError, TextMemoryError):
            raise UnreadableCaptureError("This page could not be read: it is too large or broken.") from None
        except (SanitizationError, UnparsableHtmlError) as error:
            raise UnreadableCaptureError(f"This page could not be read: {error.message}") from None
        if not read.page.text:
            raise EmptyCaptureError(EMPTY)
        return read, AttemptRecord("captured", started_at, datetime.now(UTC), content_length=len(new.html))

    def close(self) -> None:
        self._pool.close()
