from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class NewCapture:
    """What a browser sends. `html` is the document as the user sees it, in UTF-8."""

    url: str
    html: bytes
    title: str | None = None  # for a page that has none of its own
    selection: str | None = None
    lang: str | None = None
    tags: Sequence[str] = ()
    note: str | None = None
    item_id: UUID | None = None
