"""Records the attempts of one claim while they happen."""

from collections.abc import Callable
from datetime import datetime

from nexus.services.lifecycle import AttemptRecord
from nexus.services.lifecycle.records import AttemptMethod
from nexus.text.characters import storable_start

MAX_DETAIL_CHARS = 180
MAX_URL_CHARS = 4096


class AttemptRecorder:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._attempts: list[AttemptRecord] = []
        self._method: AttemptMethod = "static"
        self._started: datetime = now()
        self._http_status: int | None = None
        self._final_url: str | None = None
        self._bytes: int | None = None

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        return tuple(self._attempts)

    def begin(self, method: AttemptMethod) -> None:
        self._method = method
        self._started = self._now()
        self._http_status = self._final_url = self._bytes = None

    def note_response(self, http_status: int | None, final_url: str | None, size: int | None = None) -> None:
        self._http_status, self._final_url, self._bytes = http_status, final_url, size

    def end(self, error_code: str | None = None, detail: str | None = None) -> None:
        self._attempts.append(
            AttemptRecord(
                method=self._method,
                started_at=self._started,
                finished_at=self._now(),
                error_code=error_code,
                error_detail=storable_start(detail, MAX_DETAIL_CHARS),
                http_status=self._http_status,
                final_url=storable_start(self._final_url, MAX_URL_CHARS),
                content_length=self._bytes,
            )
        )
