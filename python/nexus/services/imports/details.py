"""An import as its user sees it: what is in its files, how far it is, what became of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, cast
from uuid import UUID

from nexus.db.models import Import
from nexus.services.imports.progress import fetching_of, outcomes_of, rate_of

Status = Literal["previewed", "running", "paused", "cancelled", "finished", "undoing", "undone"]


@dataclass(frozen=True)
class ImportOptions:
    fetch: bool = True  # the pages of links; else only what came along is read
    include_feed_items: bool = False


@dataclass(frozen=True)
class ImportDetails:
    """`files`, `counts`, `rows` and `problems`: as the preview found them. `fetching`: its items by status."""

    id: UUID
    status: Status
    source: str
    label: str
    files: Sequence[Mapping[str, Any]]
    total: int
    counts: Mapping[str, int]
    rows: Sequence[Mapping[str, Any]]
    problems: Sequence[Mapping[str, Any]]
    outcomes: Mapping[str, int]
    fetching: Mapping[str, int]
    rate_per_second: float | None
    seconds_left: int | None
    options: ImportOptions
    message: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


def details_of(found: Import, fetching: dict[str, int] | None = None) -> ImportDetails:
    """`fetching`: counted now, else as last counted."""
    fetching = fetching or fetching_of(found)
    rate = rate_of(found, fetching)
    known = {field.name for field in fields(ImportOptions)}
    return ImportDetails(
        id=found.id,
        status=cast("Status", found.status),
        source=found.source,
        label=found.label,
        files=found.files,
        total=found.total,
        counts=found.summary.get("counts", {}),
        rows=found.summary.get("rows", []),
        problems=found.summary.get("problems", []),
        outcomes=outcomes_of(found),
        fetching=fetching,
        rate_per_second=rate.per_second,
        seconds_left=rate.seconds_left,
        options=ImportOptions(**{name: value for name, value in found.options.items() if name in known}),
        message=found.message,
        created_at=found.created_at,
        started_at=found.started_at,
        finished_at=found.finished_at,
    )
