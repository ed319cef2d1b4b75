"""The effect of an attempt's error code on the media, the item and the next attempt."""

from nexus.services.lifecycle.records import Claim, Failure

INTERNAL = "internal_error"
TIMEOUTS = {"timeout", "render_timeout"}

FIRST_WAIT_SECONDS = 10.0
MAX_WAIT_SECONDS = 3600.0


def media_code(code: str) -> str:
    if code in TIMEOUTS:
        return "E_INGEST_TIMEOUT"
    return "E_SANITIZATION_FAILED" if code == "sanitization_failed" else "E_INGEST_FAILED"


def final_status(code: str) -> str:
    return "failed" if code == INTERNAL else "needs_user_text"


def wait_seconds(claim: Claim, failure: Failure) -> float:
    """Doubled with each attempt, not less than the site asked for, an hour at most."""
    backoff = FIRST_WAIT_SECONDS * 2.0 ** (claim.attempts - 1)
    return min(max(backoff, failure.retry_after or 0.0), MAX_WAIT_SECONDS)
