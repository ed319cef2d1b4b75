"""A client of the server's HTTP API for the commands."""

import gzip
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Self

import httpx2

from nexus.cli.shared_options import start_logging
from nexus.config import Settings, load_settings
from nexus.errors import NexusError

MAX_ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 0.5
FIRST_POLL_SECONDS = 0.1
MAX_POLL_SECONDS = 2.0
TIMEOUT_SECONDS = 60.0
READING_SECONDS = 900.0  # the server reads the files of an upload before it responds
BUSY = frozenset({429, 503})
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


@contextmanager
def opened_server() -> "Iterator[ApiClient]":
    """The server at NEXUS_URL, for commands that print its responses."""
    settings = load_settings()
    start_logging(settings, "WARNING")
    with ApiClient(settings) as api:
        yield api


class ServerUnreachableError(NexusError):
    code = "server_unreachable"


class RefusedByServerError(NexusError):
    """The server refused the request; its own code is in the extras."""

    code = "refused_by_server"


class NamedFile(Protocol):
    name: str

    def read(self, size: int = -1) -> bytes: ...


class ApiClient:
    """Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        headers = {}
        if settings.token:
            headers["Authorization"] = f"Bearer {settings.token.get_secret_value()}"
        elif "dev_user_id" in settings.model_fields_set:
            headers["X-User-Id"] = str(settings.dev_user_id)
        self._url = settings.server_url.rstrip("/")
        self._http = httpx2.Client(base_url=self._url, headers=headers, timeout=TIMEOUT_SECONDS, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def save(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._request("POST", "/items", json=body)

    def capture(self, body: dict[str, Any]) -> dict[str, Any]:
        """Compressed: a page may be large. A page that is sent twice is saved once."""
        packed = gzip.compress(json.dumps(body).encode())
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        return self._request("POST", "/api/captures", content=packed, headers=headers)

    def get(self, path: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._request("GET", path, params=params or {})

    def pages(
        self, path: str, params: dict[str, Any], *, key: str, limit: int, page_size: int
    ) -> Iterator[dict[str, Any]]:
        """The pages of a list, until there are `limit` entries (under `key` of the pages) or no more."""
        cursor: dict[str, str] = {}
        while limit > 0:
            body = self.get(path, params | cursor | {"limit": min(limit, page_size)})
            page = body.get("data", body)
            yield page
            limit -= len(page[key])
            if page["next_cursor"] is None:
                return
            cursor = {"cursor": page["next_cursor"]}

    def poll(self, path: str, is_over: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """What is there once `is_over`, which is called with each response; the pauses between them grow."""
        pause = FIRST_POLL_SECONDS
        while not is_over(found := self.get(path)):
            time.sleep(pause)
            pause = min(1.5 * pause, MAX_POLL_SECONDS)
        return found

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._request("POST", path, is_repeatable=False, json=body)

    def delete(self, path: str) -> None:
        self._request("DELETE", path, is_repeatable=False)

    @contextmanager
    def stream(self, path: str, headers: dict[str, str]) -> Iterator[httpx2.Response]:
        """What a file is downloaded from; httpx2.TransportError where the connection breaks."""
        with self._http.stream("GET", path, headers=headers) as response:
            if not response.is_success:
                response.read()
                self._read(response)
            yield response

    def upload(self, path: str, files: Sequence[NamedFile], fields: dict[str, str]) -> dict[str, Any]:
        parts = [("files", (file.name, file, "application/octet-stream")) for file in files]
        timeout = httpx2.Timeout(TIMEOUT_SECONDS, read=READING_SECONDS)
        return self._request("POST", path, is_repeatable=False, files=parts, data=fields, timeout=timeout)

    def change_many(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._request("POST", "/api/library/bulk", is_repeatable=False, json=body)

    def _request(self, method: str, path: str, *, is_repeatable: bool = True, **options: Any) -> dict[str, Any]:
        """Retries while the server is starting or busy; a link that was saved twice becomes one media. A request
        that is not repeatable is sent once: if only its response was lost, it would be refused the second time."""
        pause = FIRST_PAUSE_SECONDS
        for left in reversed(range(MAX_ATTEMPTS)):
            try:
                response = self._http.request(method, path, **options)
            except httpx2.TransportError as error:
                if not is_repeatable and not isinstance(error, NOT_SENT):
                    raise ServerUnreachableError(
                        f"Nexus at {self._url} did not respond ({error}). The change may have been made; check before "
                        "you repeat it."
                    ) from error
                if not left:
                    raise ServerUnreachableError(
                        f"Cannot reach Nexus at {self._url} ({error}). Start it with 'nexus serve', or set NEXUS_URL."
                    ) from error
            else:
                if response.status_code not in BUSY or not left:
                    return self._read(response)
            time.sleep(pause)
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def _read(self, response: httpx2.Response) -> dict[str, Any]:
        if response.is_success and not response.content:
            return {}
        try:
            body = response.json()
            if response.is_success:
                found: dict[str, Any] = body
                return found
            detail = body["detail"]
            raise RefusedByServerError(detail["message"], error=detail["error"])
        except (ValueError, KeyError, TypeError) as error:
            raise ServerUnreachableError(
                f"The server at {self._url} is not Nexus (status {response.status_code}); check NEXUS_URL."
            ) from error
