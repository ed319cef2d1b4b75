"""Old exports of read-later services: a page of links under headings (Pocket, Instapaper)."""

import re
from collections.abc import Callable, Iterator

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.markup.pieces import Pieces
from nexus.text.imports.markup.tokens import End, Start, Text, tokens
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.values import decode_entities, folder_tags, item_or_problem, read_tags, read_time

POCKET_TITLE = re.compile(r"<title>\s*Pocket Export\s*</title>", re.IGNORECASE)
INSTAPAPER_TITLE = re.compile(r"<title>\s*Instapaper:? Export\s*</title>", re.IGNORECASE)
HEADINGS = frozenset({"h1", "h2", "h3"})

Link = tuple[Start, str, str]  # the tag, its text, and the heading above


def _links(document: Document) -> Iterator[Link]:
    heading, link = "", None
    text: Pieces | None = None
    with document.open_text() as file:
        for token in tokens(file):
            if isinstance(token, Text):
                if text:
                    text.add(token)
                continue
            # Neither <li> nor <a> need be closed.
            if link and text and (token.name in ("a", "li", "ul", "ol") or token.name in HEADINGS):
                yield link, text.text(), heading
                link = text = None
            if isinstance(token, End):
                heading = text.text() if text and token.name in HEADINGS else heading
                text = None if token.name in HEADINGS else text
            elif token.name in HEADINGS:
                text = Pieces()
            elif token.name == "a" and "href" in token.raw:
                link, text = token, Pieces()
    if link and text:
        yield link, text.text(), heading


def _pocket(document: Document, number: int, link: Link) -> ImportRecord:
    tag, title, heading = link
    return item_or_problem(
        document,
        number,
        url=tag.get("href"),
        title=title,
        saved_at=read_time(tag.get("time_added")),
        tags=read_tags(decode_entities(each) for each in tag.raw.get("tags", "").split(",")),
        archived=None if not heading else "archive" in heading.lower(),
    )


def _instapaper(document: Document, number: int, link: Link) -> ImportRecord:
    """The folder of a link is its only state, so what is in a folder of the user's may be read or not."""
    tag, title, heading = link
    state = heading.strip().lower()
    is_own_folder = state not in ("unread", "archive", "starred", "home", "")
    return item_or_problem(
        document,
        number,
        url=tag.get("href"),
        title=title,
        tags=folder_tags(heading.replace("/", "-")) if is_own_folder else (),
        archived={"archive": True, "unread": False, "home": False}.get(state),
        starred=True if state == "starred" else None,
    )


def _reader(make: Callable[[Document, int, Link], ImportRecord]) -> Callable[[Document], Iterator[ImportRecord]]:
    return lambda document: (make(document, number, link) for number, link in enumerate(_links(document), 1))


POCKET_HTML = Format(
    "pocket",
    "Pocket",
    one_by_one(_reader(_pocket)),
    recognises=lambda document: bool(POCKET_TITLE.search(document.beginning[:2000])),
)
INSTAPAPER_HTML = Format(
    "instapaper",
    "Instapaper",
    one_by_one(_reader(_instapaper)),
    recognises=lambda document: bool(INSTAPAPER_TITLE.search(document.beginning[:2000])),
)
