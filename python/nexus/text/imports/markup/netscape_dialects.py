"""What the programs that write Netscape bookmark files mean by the same marks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from nexus.text.imports.documents import Document
from nexus.text.imports.markup.tokens import Start
from nexus.text.imports.records import ImportedFeed, ImportRecord
from nexus.text.imports.values import (
    decode_entities,
    folder_tags,
    item_or_problem,
    read_flag,
    read_link,
    read_tags,
    read_text,
    read_time,
    read_title,
)  # fmt: skip

FIRST_ENTRY = re.compile(r"<DT\b|<A\s", re.IGNORECASE)
HEADER_CHARS = 4000
MAX_LEVELS = 50
READING_LIST = "com.apple.readinglist"
LINKDING_NOTES = re.compile(r"\[linkding-notes\](.*?)\[/linkding-notes\]", re.DOTALL)
LINKDING_ARCHIVED = "linkding:bookmarks.archived"
NO_TAGS = frozenset({"no_tag", "no-tag"})
SHAARLI_NOTE = re.compile(r"\?[\w-]{6}$|/?shaare/[\w-]{6}$")
# The folders that browsers have by themselves and that no attribute names, at the top of a file.
BROWSER_FOLDERS = frozenset(
    name.casefold()
    for name in (
        "Bookmarks bar", "Bookmarks menu", "Bookmarks toolbar", "Bookmarks Toolbar Folder", "Favorites bar",
        "Favourites bar", "Mobile bookmarks", "Mobile favorites", "Other bookmarks", "Other favorites",
        "Synced bookmarks", "Unsorted Bookmarks", "All Bookmarks",
        "Lesezeichen-Symbolleiste", "Lesezeichenleiste", "Lesezeichen-Menü", "Weitere Lesezeichen",
        "Mobile Lesezeichen", "Mobile Favoriten", "Favoritenleiste", "Andere Favoriten",
        "Barre de favoris", "Barre personnelle", "Menu des marque-pages", "Autres favoris", "Autres marque-pages",
        "Favoris sur mobile", "Favoris mobiles", "Marque-pages des appareils mobiles",
        "Barra de marcadores", "Barra de favoritos", "Otros marcadores", "Otros favoritos", "Marcadores del móvil",
        "Menú de marcadores", "Outros favoritos", "Outros marcadores", "Favoritos do dispositivo móvel",
        "Barra dei Preferiti", "Barra dei segnalibri", "Altri Preferiti", "Altri segnalibri",
        "Preferiti su dispositivi mobili", "Bladwijzerbalk", "Bladwijzerwerkbalk", "Bladwijzermenu",
        "Andere bladwijzers", "Mobiele bladwijzers", "Favorietenbalk",
    )
)  # fmt: skip
# Safari's, which is the only browser whose folders have no date; others' users call folders so.
SAFARI_FOLDERS = frozenset({"bookmarks", "favorites", "favourites", "favoriten", "favoris", "favoritos", "preferiti"})


@dataclass
class Folder:
    name: str = ""
    is_root: bool = False  # of the browser, not of the user
    is_reading_list: bool = False
    has_date: bool = False


@dataclass
class Link:
    tag: Start
    folders: tuple[Folder, ...]
    title: str = ""
    note: str | None = None


def folder_of(tag: Start) -> Folder:
    marks = {(tag.get(name) or "").lower() for name in ("id", "name")}
    is_root = "personal_toolbar_folder" in tag.raw or "unfiled_bookmarks_folder" in tag.raw
    return Folder(is_root=is_root, is_reading_list=READING_LIST in marks, has_date="add_date" in tag.raw)


class Dialect:
    """What most programs mean."""

    tags_by_space: ClassVar[bool] = False

    def record(self, document: Document, number: int, link: Link) -> ImportRecord:
        tag = link.tag
        names = self.folder_names(link.folders)
        tags = [*self.tags(tag), *folder_tags(*names)]
        if feed := read_link(tag.get("feedurl")):
            return ImportedFeed(document.name, number, feed, read_title(link.title, feed), read_tags(tags))
        description = read_text(link.note) or read_text(tag.get("description"))
        is_unread = read_flag(tag.get("toread")) is True or any(each.is_reading_list for each in link.folders)
        return item_or_problem(
            document,
            number,
            url=tag.get("href"),
            title=link.title,
            saved_at=read_time(tag.get("add_date")) or read_time(tag.get("time_added")),
            tags=read_tags(each for each in tags if each != LINKDING_ARCHIVED),
            archived=True if LINKDING_ARCHIVED in tags or self.is_archived(link) else None,
            starred=True if read_flag(tag.get("data-important")) or self.is_starred(link) else None,
            read=False if is_unread else None,
            note=_with_linkding_notes(description),
            **self.content(link),
        )

    def tags(self, tag: Start) -> Iterable[str]:
        # Split before references are replaced: a comma in a tag is written as one.
        raw = tag.raw.get("tags") or tag.raw.get("labels") or ""
        by_space = self.tags_by_space and "," not in raw
        names = [decode_entities(each).strip() for each in (raw.split() if by_space else raw.split(","))]
        return [name for name in names if name.lower() not in NO_TAGS]

    def folder_names(self, folders: tuple[Folder, ...]) -> list[str]:
        names = []
        for level, folder in enumerate(folders[:MAX_LEVELS]):
            is_browsers = folder.is_root or folder.is_reading_list or self.is_no_folder(folder, level)
            if not is_browsers:
                names.append(" ".join(folder.name.replace("/", "-").split()))
        return [name for name in names if name]

    def is_no_folder(self, folder: Folder, level: int) -> bool:
        name = folder.name.casefold()
        return level == 0 and (name in BROWSER_FOLDERS or (not folder.has_date and name in SAFARI_FOLDERS))

    def is_archived(self, _link: Link) -> bool:
        return False

    def is_starred(self, _link: Link) -> bool:
        return False

    def content(self, _link: Link) -> dict[str, str | None]:
        return {}


class SpacedTags(Dialect):
    """Delicious and Scuttle, whose tags are single words."""

    tags_by_space = True


class Shaarli(SpacedTags):
    """What is no link is a text of the user's."""

    def record(self, document: Document, number: int, link: Link) -> ImportRecord:
        href = (link.tag.get("href") or "").strip()
        if SHAARLI_NOTE.search(href) and not href.lower().startswith(("http:", "https:")):
            link.tag = Start("a", {name: value for name, value in link.tag.raw.items() if name != "href"})
            if not link.note:
                link.note = link.title
        return super().record(document, number, link)

    def content(self, link: Link) -> dict[str, str | None]:
        return {} if "href" in link.tag.raw else {"text": read_text(link.note)}


class Raindrop(Dialect):
    def is_no_folder(self, folder: Folder, level: int) -> bool:
        return level == 0 and folder.name.casefold() in ("unsorted", "raindrop.io bookmarks")


class Readeck(Dialect):
    """Its folders are states."""

    STATES: ClassVar = frozenset({"favorite", "favorites", "archived", "archive", "uncategorized"})

    def is_no_folder(self, folder: Folder, level: int) -> bool:
        return folder.name.casefold() in self.STATES or super().is_no_folder(folder, level)

    def is_archived(self, link: Link) -> bool:
        return any(folder.name.casefold() in ("archived", "archive") for folder in link.folders)

    def is_starred(self, link: Link) -> bool:
        return any(folder.name.casefold() in ("favorite", "favorites") for folder in link.folders)


# By a word above the first entry.
DIALECTS: dict[str, type[Dialect]] = {
    "shaarli": Shaarli, "readeck": Readeck, "raindrop": Raindrop, "delicious": SpacedTags, "del.icio.us": SpacedTags,
    "scuttle": SpacedTags,
}  # fmt: skip


def dialect_of(beginning: str) -> Dialect:
    header = FIRST_ENTRY.split(beginning[:HEADER_CHARS], maxsplit=1)[0].lower()
    return next((dialect() for word, dialect in DIALECTS.items() if word in header), Dialect())


def _with_linkding_notes(description: str | None) -> str | None:
    if not description or "[linkding-notes]" not in description:
        return description
    notes = LINKDING_NOTES.findall(description)
    parts = [LINKDING_NOTES.sub("", description), *notes]
    return "\n\n".join(part.strip() for part in parts if part.strip()) or None
