"""Why an outgoing request failed. Receipts show these codes."""

from nexus.errors.base import NexusError


class EgressError(NexusError):
    status = 502
    retryable = False

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        retry_after: float | None = None,
        http_status: int | None = None,
        final_url: str | None = None,
    ) -> None:
        super().__init__(message)
        if retryable is not None:
            self.retryable = retryable
        self.retry_after = retry_after
        self.http_status = http_status
        self.final_url = final_url


class InvalidUrlError(EgressError):
    status = 400
    code = "invalid_url"


class BlockedAddressError(EgressError):
    """The address must not be requested: private, loopback, link-local or reserved."""

    status = 400
    code = "blocked_address"


class FetchTimeoutError(EgressError):
    status = 504
    code = "timeout"
    retryable = True


class ConnectionFailedError(EgressError):
    code = "connection_error"
    retryable = True


class TlsError(EgressError):
    code = "tls_error"


class TooManyRedirectsError(EgressError):
    code = "too_many_redirects"


class MaxBytesError(EgressError):
    code = "max_bytes_exceeded"


class NonHtmlError(EgressError):
    code = "non_html"


class HttpStatusError(EgressError):
    """The site responded with an error status. The body is kept for page_verdict: walls have such a status too."""

    def __init__(
        self,
        message: str,
        *,
        http_status: int,
        retry_after: float | None = None,
        final_url: str | None = None,
        body: bytes = b"",
        content_type: str | None = None,
    ) -> None:
        again = http_status in (408, 429) or http_status >= 500  # noqa: PLR2004
        super().__init__(
            message, retryable=again, retry_after=retry_after, http_status=http_status, final_url=final_url
        )
        self.code = f"http_{http_status}"
        self.body = body
        self.content_type = content_type


class HostPausedError(HttpStatusError):
    """The site asked for a pause that is not over: no request was sent, and no attempt is used up."""


class HostBusyError(FetchTimeoutError):
    """The maximum of requests to this host is in flight, and the caller does not wait."""


class BrowserBusyError(FetchTimeoutError):
    """No slot of the browser became free in time."""


class RenderFailedError(EgressError):
    """The browser could not show the page."""

    code = "render_failed"


class RenderTimeoutError(EgressError):
    status = 504
    code = "render_timeout"
    retryable = True
