"""One id per request, in logs, in responses and later in the worker."""

import re
from contextvars import ContextVar
from uuid import uuid4

SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    return _current.get()


def begin_request(offered: str | None) -> str:
    """The client's id if it is safe in a log line and a header, else a new one."""
    request_id = offered if offered and SAFE_REQUEST_ID.fullmatch(offered) else uuid4().hex
    _current.set(request_id)
    return request_id
