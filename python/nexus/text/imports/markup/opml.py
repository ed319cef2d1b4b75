"""OPML: subscriptions of feed and podcast readers, in folders."""

from collections.abc import Iterator

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.markup.tokens import End, Start, root_element, tokens
from nexus.text.imports.records import ImportedFeed, ImportProblem, ImportRecord
from nexus.text.imports.values import MAX_FOLDERS_OPEN, folder_tags, link_problem, read_tags, read_title

MAX_LEVELS = 50
MAX_SHOWN_CHARS = 2000
FEED_SCHEME = "feed:"


class _Folders:
    """A name for each outline that is open, up to a limit."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._deeper = 0

    def open(self, name: str) -> None:
        if len(self._names) < MAX_FOLDERS_OPEN:
            self._names.append(name.replace("/", "-"))
        else:
            self._deeper += 1

    def close(self) -> None:
        if self._deeper:
            self._deeper -= 1
        elif self._names:
            self._names.pop()

    def tags(self) -> tuple[str, ...]:
        return folder_tags(*[name for name in self._names[:MAX_LEVELS] if name])


def _read(document: Document) -> Iterator[ImportRecord]:
    number = 0
    folders = _Folders()
    with document.open_text() as file:
        for token in tokens(file):
            if isinstance(token, Start) and token.name == "outline":
                is_folder = token.get("xmlurl") is None
                if record := _record(document, number + 1, token, folders):
                    number += 1
                    yield record
                if not token.is_empty:
                    # What is within a feed is in the folders around it.
                    folders.open(_name(token) if is_folder else "")
            elif isinstance(token, End) and token.name == "outline":
                folders.close()


def _name(outline: Start) -> str:
    return read_title(outline.get("text")) or read_title(outline.get("title")) or ""


def _record(document: Document, number: int, outline: Start, folders: _Folders) -> ImportRecord | None:
    """None for a folder."""
    feed_url, title = outline.get("xmlurl"), _name(outline) or None
    if feed_url is None:
        if outline.get("type") not in ("link", "include"):
            return None
        url = outline.get("url") or outline.get("htmlurl") or ""
        message = "This refers to something outside the file, which was not read."
        return ImportProblem(document.name, number, "not_followed", message, url[:MAX_SHOWN_CHARS] or None, title)
    url = _without_feed_scheme(feed_url.strip())
    if refused := link_problem(url):
        return ImportProblem(document.name, number, *refused, url=url[:MAX_SHOWN_CHARS] or None, title=title)
    categories = [each.strip("/ ") for each in (outline.get("category") or "").split(",")]
    title = None if title == url else title
    return ImportedFeed(document.name, number, url, title, read_tags([*folders.tags(), *categories]))


def _without_feed_scheme(url: str) -> str:
    """`feed:https://…` and `feed://…` only say that the link is a feed."""
    if not url.lower().startswith(FEED_SCHEME):
        return url
    rest = url[len(FEED_SCHEME) :]
    return rest if rest.lower().startswith(("http:", "https:")) else "http://" + rest.lstrip("/")


OPML = Format(
    "opml",
    "feed readers (OPML)",
    one_by_one(_read),
    recognises=lambda document: root_element(document.beginning) == "opml",
)
