"""Converts node's messages to pages and to our errors."""

from dataclasses import dataclass
from typing import Any

from nexus import errors
from nexus.errors import (
    EgressError,
    HttpStatusError,
    MaxBytesError,
    NonHtmlError,
    RenderFailedError,
    RenderTimeoutError,
)

MAX_MESSAGE = 500

_ERRORS: dict[str, type[EgressError]] = {
    "timeout": RenderTimeoutError,
    "non_html": NonHtmlError,
    "too_large": MaxBytesError,
}
# The X-Nexus-Refusal codes of our proxy, when it refused the page itself.
_REFUSALS: dict[str, type[EgressError]] = {
    kind.code: kind
    for kind in (
        errors.BlockedAddressError,
        errors.ConnectionFailedError,
        errors.FetchTimeoutError,
        errors.InvalidUrlError,
        errors.TlsError,
    )
}


class CrashedError(RenderFailedError):
    retryable = True


class TooMuchMemoryError(CrashedError):
    """In a shared browser another page may be the cause; in a browser of its own, this page is: no retry."""

    retryable = False


# The browser ended while the page was open; the page is tried once more, in a process of its own.
_CRASHES: dict[str, type[EgressError]] = {
    "crashed": CrashedError,
    "no_browser": CrashedError,
    "memory": TooMuchMemoryError,
}


@dataclass(frozen=True)
class RenderedPage:
    final_url: str
    base_url: str
    title: str | None
    html: str
    """The whole document, once its text stopped changing."""
    status: int | None


def page_from(message: dict[str, Any]) -> RenderedPage:
    try:
        return RenderedPage(**{name: message[name] for name in RenderedPage.__dataclass_fields__})
    except KeyError as error:
        raise CrashedError(f"The browser's response lacks {error}.") from None


def error_from(failure: dict[str, Any]) -> EgressError:
    code, refusal, status = str(failure.get("code")), str(failure.get("refusal")), failure.get("http_status")
    message = str(failure.get("error", "The page could not be rendered."))[:MAX_MESSAGE]
    if code == "http_status" and isinstance(status, int):
        return HttpStatusError(message, http_status=status, final_url=failure.get("final_url"))
    kind = _CRASHES.get(code) or _REFUSALS.get(refusal) or _ERRORS.get(code, RenderFailedError)
    return kind(
        message,
        retryable=bool(failure.get("retryable")) or kind.retryable,
        http_status=status,
        final_url=failure.get("final_url"),
    )
