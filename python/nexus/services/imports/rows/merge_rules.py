"""What a row of an import adds to a library entry. Pure: entries are objects in memory.

Only what is new is added: what an earlier row said about the same link was joined then, and whatever the user has
changed or taken away since stays as they left it. A state is only ever added (archived, starred, read), at the time
when the link was saved, so that a decision that the user made later wins.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid5

from nexus.services.highlights.changes import MAX_HIGHLIGHTS
from nexus.services.imports.rows.batch_tags import BatchTags
from nexus.services.imports.rows.entry import DEVICE, AddedHighlight, BatchEntry, EntryChange, ImportedPosition
from nexus.services.imports.rows.normalized_row import MAX_ENTRY_NOTE_CHARS, NormalizedRow, RowHighlight
from nexus.services.library.entry_tags import MAX_TAGS_OF_ENTRY
from nexus.system.epoch import EPOCH

# The same words of the same row have the same id, so that one that was deleted is not made again.
HIGHLIGHTS = UUID("6a5a4b0e-0b56-4f5b-9d53-8e7a0c2a6f21")


@dataclass
class EarlierRows:
    """What rows said before about the same link, in this import or in earlier ones."""

    tags: set[str] = field(default_factory=set)
    states: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    quotes: set[str] = field(default_factory=set)
    progress: float = 0.0
    saved_at: datetime | None = None
    rows: int = 0

    def add(self, row: NormalizedRow) -> None:
        self.rows += 1
        self.tags.update(row.tags)
        self.states.update(name for name in ("archived", "starred", "read") if getattr(row, name))
        self.quotes.update(highlight.key for highlight in row.highlights)
        self.progress = max(self.progress, row.progress)
        if row.note:
            self.notes.add(row.note)
        if row.saved_at:
            self.saved_at = min(self.saved_at or row.saved_at, row.saved_at)


def merge(entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows, tags: BatchTags) -> EntryChange:
    """Change the entry; what is different now."""
    change = EntryChange(entry, entry.values(), warnings=list(row.warnings))
    decided_at = row.saved_at or (entry.created_at if entry.is_new else EPOCH)
    _merge_states(entry, row, earlier, decided_at)
    _merge_time(entry, row, earlier)
    _merge_note(entry, row, earlier, decided_at)
    _merge_title(entry, row, change)
    _merge_tags(entry, row, earlier, tags, change)
    _merge_position(entry, row, earlier, decided_at, change)
    _merge_highlights(entry, row, earlier, tags, change)
    entry.is_touched |= bool(change.changed_columns)
    return change


def _merge_states(entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows, decided_at: datetime) -> None:
    for name in ("archived", "starred", "read"):
        if not getattr(row, name) or name in earlier.states or getattr(entry, f"{name}_at") is not None:
            continue
        decided_before: datetime | None = getattr(entry, f"{name}_decided_at")
        if name == "archived" and not entry.is_imported:  # to save a link by hand is a decision for the inbox
            decided_before = max(filter(None, (decided_before, entry.created_at)))
        if decided_before is not None and decided_before > decided_at:
            continue
        setattr(entry, f"{name}_at", decided_at)
        setattr(entry, f"{name}_decided_at", decided_at)
        if name == "read":
            entry.last_read_at = max(filter(None, (entry.last_read_at, decided_at)))


def _merge_time(entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows) -> None:
    """The earliest."""
    if row.saved_at is None or row.saved_at >= entry.created_at:
        return
    if earlier.saved_at is not None and earlier.saved_at <= row.saved_at:
        return  # it was saved again since
    if not entry.is_imported:
        entry.archived_decided_at = max(filter(None, (entry.archived_decided_at, entry.created_at)))
    entry.created_at = row.saved_at


def _merge_note(entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows, decided_at: datetime) -> None:
    if row.note is None or row.note in earlier.notes or row.note in (entry.note or ""):
        return
    joined = "\n\n".join(filter(None, (entry.note, row.note)))
    if len(joined) <= MAX_ENTRY_NOTE_CHARS:
        entry.note = joined
        entry.note_decided_at = max(filter(None, (entry.note_decided_at, decided_at)))


def _merge_title(entry: BatchEntry, row: NormalizedRow, change: EntryChange) -> None:
    """Until the page's own title is known."""
    if row.title and not entry.is_ready and entry.title is None and entry.own_title is None:
        entry.title = change.title = row.title


def _merge_tags(
    entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows, tags: BatchTags, change: EntryChange
) -> None:
    for key, name in row.tags.items():
        if key in earlier.tags or tags.known.get(key) in entry.tags:
            continue
        if sum(entry.tags.values()) >= MAX_TAGS_OF_ENTRY:
            change.warnings.append(f"The tag “{name.name}” was left out: an entry has at most {MAX_TAGS_OF_ENTRY}.")
        elif tag_id := _tag_id(tags, key, change, row):
            entry.tags[tag_id] = True
            change.tag_ids.append(tag_id)


def _tag_id(
    tags: BatchTags, key: str, change: EntryChange, row: NormalizedRow, highlight: RowHighlight | None = None
) -> UUID | None:
    name = (highlight.tags if highlight else row.tags)[key]
    is_known = key in tags.known
    tag_id = tags.get_or_create(name)
    if tag_id is None:
        change.warnings.append(f"The tag “{name.name}” was left out: you have the maximum number of tags.")
    elif not is_known:
        change.new_tag_ids.append(tag_id)
    return tag_id


def _merge_position(
    entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows, decided_at: datetime, change: EntryChange
) -> None:
    """Where the user has been themselves stays."""
    if row.progress <= earlier.progress:
        return
    if entry.position and (entry.position.device != DEVICE or entry.position.fraction >= row.progress):
        return
    change.earlier_position = entry.position
    entry.position = change.position = ImportedPosition(decided_at, row.progress, DEVICE)
    entry.last_read_at = max(filter(None, (entry.last_read_at, decided_at)))


def _merge_highlights(
    entry: BatchEntry, row: NormalizedRow, earlier: EarlierRows, tags: BatchTags, change: EntryChange
) -> None:
    for highlight in row.highlights:
        if highlight.key in earlier.quotes or highlight.key in entry.quotes:
            continue
        if entry.highlights >= MAX_HIGHLIGHTS:
            change.warnings.append(f"A highlight was left out: a text has at most {MAX_HIGHLIGHTS}.")
            continue
        entry.quotes.add(highlight.key)
        entry.highlights += 1
        tag_ids = [tag_id for key in highlight.tags if (tag_id := _tag_id(tags, key, change, row, highlight))]
        change.highlights.append(
            AddedHighlight(
                id=highlight_id(row.key, highlight.key),
                quote=highlight.quote,
                color=highlight.color,
                note=highlight.note,
                created_at=highlight.created_at or row.saved_at or entry.created_at,
                tag_ids=tag_ids,
            )
        )


def highlight_id(key: bytes, quote: str) -> UUID:
    return uuid5(HIGHLIGHTS, f"{key.hex()} {quote}")


def earlier_rows(rows: Iterable[NormalizedRow]) -> EarlierRows:
    earlier = EarlierRows()
    for row in rows:
        earlier.add(row)
    return earlier
