"""What a user adds to a page while saving it: what they selected becomes a highlight; tags; a note."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import InvalidRangeError, TextMovedError, TooManyHighlightsError
from nexus.services.captures.new_capture import NewCapture
from nexus.services.highlights.anchors import RequestedAnchor
from nexus.services.highlights.changes import NewHighlight, create_highlight
from nexus.services.library.changes import EntryUpdate, change_entry
from nexus.services.library.entry_tags import TagChanges
from nexus.services.lifecycle.captures import WrittenCapture
from nexus.services.users import CurrentUser
from nexus.text.characters import storable
from nexus.text.quotes.joined_text import Point, Span

MAX_NOTE_CHARS = 10_000
MAX_JOINED_NOTE_CHARS = 100_000

NOTE = text("SELECT note FROM library_media WHERE library_id = :library_id AND media_id = :media_id")
IS_HIGHLIGHTED = text("""
    SELECT EXISTS (SELECT FROM highlights
                   WHERE library_id = :library_id AND media_id = :media_id AND quote = :quote AND deleted_at IS NULL)
""")


def annotate(
    session: Session, user: CurrentUser, written: WrittenCapture, new: NewCapture, words: str, selected: Span | None
) -> None:
    """`selected`: in `words`, which are the text of the written version."""
    notes = [new.note]
    if new.selection and not (selected and _highlight(session, user, written, words, selected)):
        notes.append(_quoted(new.selection))
    added = [each for note in notes if note and (each := storable(note).strip())]
    note = _joined(session, user, written.media_id, added)
    if note is not None or new.tags:
        changes = EntryUpdate({"note": note} if note is not None else {}, TagChanges(add=new.tags))
        change_entry(session, user, written.media_id, changes)


def _highlight(session: Session, user: CurrentUser, written: WrittenCapture, words: str, selected: Span) -> bool:
    """False: it cannot be one. The same passage that is selected again stays one highlight."""
    quote = words[selected.start : selected.end]
    values = {"library_id": user.default_library_id, "media_id": written.media_id, "quote": quote}
    if session.scalar(IS_HIGHLIGHTED, values):
        return True
    anchor = RequestedAnchor(written.version, Point(0, selected.start), Point(0, selected.end), quote)
    try:
        create_highlight(session, user, written.media_id, NewHighlight(anchor))
    except (InvalidRangeError, TextMovedError, TooManyHighlightsError):
        return False
    return True


def _quoted(selection: str) -> str:
    lines = storable(selection[:MAX_NOTE_CHARS]).strip().splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _joined(session: Session, user: CurrentUser, media_id: UUID, added: list[str]) -> str | None:
    """The note that is there goes on with what is new; None: nothing is."""
    known = session.scalar(NOTE, {"library_id": user.default_library_id, "media_id": media_id}) or ""
    new = [each for each in added if each not in known]
    return "\n\n".join(filter(None, [known, *new]))[:MAX_JOINED_NOTE_CHARS] if new else None
