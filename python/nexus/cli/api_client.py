"""The server's HTTP API, as the command line uses it."""

import time
from typing import Any, Self

import httpx2

from nexus.config import Settings
from nexus.errors import NexusError

ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 0.5
TIMEOUT_SECONDS = 60.0
BUSY = frozenset({429, 503})


class ServerUnreachableError(NexusError):
    code = "server_unreachable"


class RefusedByServerError(NexusError):
    """The server said no; its own code is in the extras."""

    code = "refused_by_server"


class ApiClient:
    """Safe to use from several threads."""

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
        return self._ask("POST", "/items", json=body)

    def item(self, item_id: str) -> dict[str, Any]:
        return self._ask("GET", f"/items/{item_id}")

    def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """A server that is starting or busy is asked again; a save that reached it twice ends up as one work."""
        pause = FIRST_PAUSE_SECONDS
        for left in reversed(range(ATTEMPTS)):
            try:
                answer = self._http.request(method, path, **options)
            except httpx2.TransportError as error:
                if not left:
                    raise ServerUnreachableError(
                        f"No Nexus answers at {self._url} ({error}). Start it with 'nexus serve', or set NEXUS_URL."
                    ) from error
            else:
                if answer.status_code not in BUSY or not left:
                    return self._read(answer)
            time.sleep(pause)
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def _read(self, answer: httpx2.Response) -> dict[str, Any]:
        try:
            body = answer.json()
            if answer.is_success:
                found: dict[str, Any] = body
                return found
            detail = body["detail"]
            raise RefusedByServerError(detail["message"], error=detail["error"])
        except (ValueError, KeyError, TypeError) as error:
            raise ServerUnreachableError(
                f"What answers at {self._url} is not Nexus (status {answer.status_code}); check NEXUS_URL."
            ) from error
