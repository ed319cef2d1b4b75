"""What node says about a page, as a page or as one of our errors."""

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
# What the proxy says when it did not let the page itself through.
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
    """In a browser that others use it may have been theirs; in one of its own it is this page's, for good."""

    retryable = False


# The browser went away under the page, which is asked for again, once, in a process of its own.
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
    content_html: str | None
    """Readability's article; None where it found none or was not asked."""
    html: str
    """The whole document as it stood when its text had come to rest."""
    status: int | None


def page_from(answer: dict[str, Any]) -> RenderedPage:
    try:
        return RenderedPage(**{name: answer[name] for name in RenderedPage.__dataclass_fields__})
    except KeyError as error:
        raise CrashedError(f"The browser's answer lacks {error}.") from None


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
