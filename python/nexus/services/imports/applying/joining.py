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
from nexus.services.imports.applying.batch_tags import TagBook
from nexus.services.imports.applying.entry import DEVICE, Change, Entry, NewHighlight, TextPosition
from nexus.services.imports.applying.normalized_row import EPOCH, MAX_ENTRY_NOTE_CHARS, Mark, Wanted
from nexus.services.library.entry_tags import MAX_TAGS_OF_ENTRY

# The same words of the same row have the same id, so that one that was deleted is not made again.
HIGHLIGHTS = UUID("6a5a4b0e-0b56-4f5b-9d53-8e7a0c2a6f21")


@dataclass
class Seen:
    """What rows said before about the same link, in this import or in earlier ones."""

    tags: set[str] = field(default_factory=set)
    states: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    quotes: set[str] = field(default_factory=set)
    progress: float = 0.0
    saved_at: datetime | None = None
    rows: int = 0

    def add(self, wanted: Wanted) -> None:
        self.rows += 1
        self.tags.update(wanted.tags)
        self.states.update(name for name in ("archived", "starred", "read") if getattr(wanted, name))
        self.quotes.update(mark.key for mark in wanted.marks)
        self.progress = max(self.progress, wanted.progress)
        if wanted.note:
            self.notes.add(wanted.note)
        if wanted.saved_at:
            self.saved_at = min(self.saved_at or wanted.saved_at, wanted.saved_at)


def join(entry: Entry, wanted: Wanted, seen: Seen, tags: TagBook) -> Change:
    """Change the entry; what is different now."""
    change = Change(entry, entry.values(), warnings=list(wanted.warnings))
    decided_at = wanted.saved_at or (entry.created_at if entry.is_new else EPOCH)
    _join_states(entry, wanted, seen, decided_at)
    _join_time(entry, wanted, seen)
    _join_note(entry, wanted, seen, decided_at)
    _join_title(entry, wanted, change)
    _join_tags(entry, wanted, seen, tags, change)
    _join_position(entry, wanted, seen, decided_at, change)
    _join_highlights(entry, wanted, seen, tags, change)
    entry.is_touched |= bool(change.changed_columns)
    return change


def _join_states(entry: Entry, wanted: Wanted, seen: Seen, decided_at: datetime) -> None:
    for name in ("archived", "starred", "read"):
        if not getattr(wanted, name) or name in seen.states or getattr(entry, f"{name}_at") is not None:
            continue
        earlier: datetime | None = getattr(entry, f"{name}_decided_at")
        if name == "archived" and not entry.is_imported:  # to save a link by hand is a decision for the inbox
            earlier = max(filter(None, (earlier, entry.created_at)))
        if earlier is not None and earlier > decided_at:
            continue
        setattr(entry, f"{name}_at", decided_at)
        setattr(entry, f"{name}_decided_at", decided_at)
        if name == "read":
            entry.last_read_at = max(filter(None, (entry.last_read_at, decided_at)))


def _join_time(entry: Entry, wanted: Wanted, seen: Seen) -> None:
    """The earliest."""
    if wanted.saved_at is None or wanted.saved_at >= entry.created_at:
        return
    if seen.saved_at is not None and seen.saved_at <= wanted.saved_at:
        return  # it was saved again since
    if not entry.is_imported:
        entry.archived_decided_at = max(filter(None, (entry.archived_decided_at, entry.created_at)))
    entry.created_at = wanted.saved_at


def _join_note(entry: Entry, wanted: Wanted, seen: Seen, decided_at: datetime) -> None:
    if wanted.note is None or wanted.note in seen.notes or wanted.note in (entry.note or ""):
        return
    joined = "\n\n".join(filter(None, (entry.note, wanted.note)))
    if len(joined) <= MAX_ENTRY_NOTE_CHARS:
        entry.note = joined
        entry.note_decided_at = max(filter(None, (entry.note_decided_at, decided_at)))


def _join_title(entry: Entry, wanted: Wanted, change: Change) -> None:
    """Until the page's own title is known."""
    if wanted.title and not entry.is_ready and entry.title is None and entry.own_title is None:
        entry.title = change.title = wanted.title


def _join_tags(entry: Entry, wanted: Wanted, seen: Seen, tags: TagBook, change: Change) -> None:
    for key, name in wanted.tags.items():
        if key in seen.tags or tags.known.get(key) in entry.tags:
            continue
        if sum(entry.tags.values()) >= MAX_TAGS_OF_ENTRY:
            change.warnings.append(f"The tag “{name.name}” was left out: an entry has at most {MAX_TAGS_OF_ENTRY}.")
        elif tag_id := _take(tags, key, change, wanted):
            entry.tags[tag_id] = True
            change.tag_ids.append(tag_id)


def _take(tags: TagBook, key: str, change: Change, wanted: Wanted, mark: Mark | None = None) -> UUID | None:
    name = (mark.tags if mark else wanted.tags)[key]
    is_known = key in tags.known
    tag_id = tags.take(name)
    if tag_id is None:
        change.warnings.append(f"The tag “{name.name}” was left out: you have as many tags as there can be.")
    elif not is_known:
        change.new_tag_ids.append(tag_id)
    return tag_id


def _join_position(entry: Entry, wanted: Wanted, seen: Seen, decided_at: datetime, change: Change) -> None:
    """Where the user has been themselves stays."""
    if wanted.progress <= seen.progress:
        return
    if entry.position and (entry.position.device != DEVICE or entry.position.fraction >= wanted.progress):
        return
    change.earlier_position = entry.position
    entry.position = change.position = TextPosition(decided_at, wanted.progress, DEVICE)
    entry.last_read_at = max(filter(None, (entry.last_read_at, decided_at)))


def _join_highlights(entry: Entry, wanted: Wanted, seen: Seen, tags: TagBook, change: Change) -> None:
    for mark in wanted.marks:
        if mark.key in seen.quotes or mark.key in entry.quotes:
            continue
        if entry.highlights >= MAX_HIGHLIGHTS:
            change.warnings.append(f"A highlight was left out: a text has at most {MAX_HIGHLIGHTS}.")
            continue
        entry.quotes.add(mark.key)
        entry.highlights += 1
        tag_ids = [tag_id for key in mark.tags if (tag_id := _take(tags, key, change, wanted, mark))]
        change.highlights.append(
            NewHighlight(
                id=highlight_id(wanted.key, mark.key),
                quote=mark.quote,
                color=mark.color,
                note=mark.note,
                created_at=mark.created_at or wanted.saved_at or entry.created_at,
                tag_ids=tag_ids,
            )
        )


def highlight_id(key: bytes, quote: str) -> UUID:
    return uuid5(HIGHLIGHTS, f"{key.hex()} {quote}")


def seen_of(earlier: Iterable[Wanted]) -> Seen:
    seen = Seen()
    for wanted in earlier:
        seen.add(wanted)
    return seen
