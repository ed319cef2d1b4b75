"""Logging: text for a terminal, JSON for programs; without secrets, tokens and pasted text."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog
from structlog.typing import Processor

from nexus.config import LogLevel
from nexus.errors.url_secrets import hide_url_secrets

PRIVATE_KEY = re.compile(r"authorization|cookie|password|passwd|secret|token|api_?key|pasted|text$|database_url", re.I)
PRIVATE_VALUE = (
    (re.compile(r"(nxs_|nxb_|nxf_|nxp_)[A-Za-z0-9_-]{8,}"), r"\1[hidden]"),
    (re.compile(r"(Bearer\s+)\S+", re.I), r"\1[hidden]"),
    (re.compile(r"(\b\w++://[^/\s:@]*+):[^@\s/]++@"), r"\1:[hidden]@"),
    (re.compile(r"^DETAIL:.*", re.M), "DETAIL: [hidden]"),  # PostgreSQL repeats the failing row there
)


def configure_logging(level: LogLevel, log_format: str) -> None:
    """Send everything, the libraries' own lines included, through the same processors to stderr."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso" if log_format == "json" else "%Y-%m-%d %H:%M:%S", utc=True),
        structlog.processors.format_exc_info,
        hide_secrets,
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for chatty in ("uvicorn", "alembic"):  # we log starts, migrations and requests ourselves
        logging.getLogger(chatty).setLevel(logging.WARNING)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


def hide_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if key != "event" and PRIVATE_KEY.search(key):
            event[key] = "[hidden]"
        elif isinstance(value, str):
            event[key] = redact(value)
    return event


def redact(text: str) -> str:
    for pattern, replacement in PRIVATE_VALUE:
        text = pattern.sub(replacement, text)
    return hide_url_secrets(text)
