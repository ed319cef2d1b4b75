"""The outermost middleware: request id, security headers, one log line and one measurement for every request."""

import time
from datetime import UTC, datetime

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nexus.http.errors import internal_error
from nexus.http.metrics import Metrics
from nexus.http.request_id import begin_request
from nexus.logging import get_logger

log = get_logger("nexus.request")

QUIET_PATHS = {"/health", "/ready", "/metrics"}  # polled every few seconds by monitoring
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class RequestContext:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = begin_request(Headers(scope=scope).get("x-request-id"))
        response = ResponseSender(send, request_id)
        started = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, response.send)
            except Exception:
                log.exception("unexpected error", method=scope["method"], path=scope["path"])
                if not response.status:
                    await internal_error()(scope, receive, response.send)
            self._conclude(scope, response.status, time.perf_counter() - started)

    def _conclude(self, scope: Scope, status: int, seconds: float) -> None:
        self._metrics.observe(scope, status, seconds)
        write = log.debug if scope["path"] in QUIET_PATHS else log.info
        # The path without its query, which may contain a user's link.
        write("request", method=scope["method"], path=scope["path"], status=status, ms=round(seconds * 1000, 1))


class ResponseSender:
    """Adds our headers and keeps the status (0: nothing was sent)."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self._request_id
            # `Date` counts whole seconds, and a loaded server renews it late: clients could not date what they decided.
            headers["X-Server-Time"] = datetime.now(UTC).isoformat(timespec="milliseconds")
            headers.setdefault("Cache-Control", "no-store")
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)
