"""Pinboard's and Delicious' XML: one empty element for each bookmark."""

from collections.abc import Iterator

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.markup.tokens import Start, root_element, tokens
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.values import item_or_problem, read_flag, read_text, read_time, split_tags


def _read(document: Document) -> Iterator[ImportRecord]:
    number = 0
    with document.open_text() as file:
        for token in tokens(file):
            if isinstance(token, Start) and token.name == "post":
                number += 1
                yield _item(document, number, token)


def _item(document: Document, number: int, post: Start) -> ImportRecord:
    return item_or_problem(
        document,
        number,
        url=post.get("href"),
        title=post.get("description"),
        saved_at=read_time(post.get("time")),
        tags=tuple(tag for tag in split_tags(post.get("tag"), " ") if tag != "system:unfiled"),
        read=False if read_flag(post.get("toread")) else None,
        note=read_text(post.get("extended")),
    )


PINBOARD_XML = Format(
    "pinboard", "Pinboard", one_by_one(_read), recognises=lambda document: root_element(document.beginning) == "posts"
)
