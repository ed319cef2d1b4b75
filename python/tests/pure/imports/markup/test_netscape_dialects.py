"""Bookmark services that write Netscape's form and mean more by it."""

from datetime import UTC, datetime

import pytest

from nexus.text.imports.records import ImportedItem
from tests.pure.imports.reading import items

DOCTYPE = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"


def links(title: str, *entries: str) -> list[ImportedItem]:
    return items(
        {"b.html": f"{DOCTYPE}<TITLE>{title}</TITLE>\n<H1>{title}</H1>\n<DL><p>\n" + "\n".join(entries) + "\n</DL><p>"}
    )


def test_pinboard() -> None:
    first, second = links(
        "Pinboard Bookmarks",
        '<DT><A HREF="https://a.example/" ADD_DATE="1500000000" PRIVATE="1" TOREAD="1" TAGS="one,two">A</A>',
        "<DD>A note",
        '<DT><A HREF="https://b.example/" ADD_DATE="1500000000" PRIVATE="0" TOREAD="0" TAGS="">B</A>',
    )
    assert first == ImportedItem(
        "b.html", 1, url="https://a.example/", title="A", saved_at=datetime(2017, 7, 14, 2, 40, tzinfo=UTC),
        tags=("one", "two"), read=False, note="A note",
    )  # fmt: skip
    assert (second.tags, second.read) == ((), None)


@pytest.mark.parametrize(
    "title", ["Delicious bookmarks", "del.icio.us", "Scuttle", "Shaarli export of all bookmarks on x"]
)
def test_tags_of_single_words(title: str) -> None:
    found = links(
        title,
        '<DT><A HREF="https://a.example/" TAGS="one two">A</A>',
        '<DT><A HREF="https://b.example/" TAGS="one,two three">B</A>',
    )
    assert [item.tags for item in found] == [("one", "two"), ("one", "two three")]


def test_elsewhere_a_tag_without_a_comma_is_one() -> None:
    found = links(
        "Bookmarks",
        '<DT><A HREF="https://a.example/" TAGS="one two">A</A>',
        '<DT><A HREF="https://b.example/" LABELS="x,y">B</A>',
    )
    assert [item.tags for item in found] == [("one two",), ("x", "y")]


def test_scuttle_has_descriptions_as_an_attribute() -> None:
    (item,) = links("Scuttle", '<DT><A HREF="https://a.example/" DESCRIPTION="what &amp; why">A</A>')
    assert item.note == "what & why"


def test_diigo_writes_a_tag_for_none() -> None:
    (item,) = links("Diigo Bookmarks", '<DT><A HREF="https://a.example/" TAGS="no_tag">A</A>')
    assert item.tags == ()


def test_linkding() -> None:
    """With its line ends, which are the wrong way round."""
    text = (
        DOCTYPE + "<H1>Bookmarks</H1>\n\r<DL><p>\n\r"
        '<DT><A HREF="https://a.example/" ADD_DATE="1500000000" PRIVATE="1" TOREAD="1" '
        'TAGS="one,linkding:bookmarks.archived">A</A>\n\r'
        "<DD>What it is[linkding-notes]# Mine\n\rsecond[/linkding-notes]\n\r"
        '<DT><A HREF="https://b.example/" TAGS="">B</A>\n\r<DD>[linkding-notes]only[/linkding-notes]\n\r</DL><p>'
    )
    first, second = items({"b.html": text})
    assert (first.tags, first.archived, first.read) == (("one",), True, False)
    assert first.note == "What it is\n\n# Mine\nsecond"
    assert (second.note, second.archived) == ("only", None)


def test_shaarli_keeps_texts() -> None:
    note, also, link, title_only = links(
        "Shaarli export of all bookmarks on 2024",
        '<DT><A HREF="?AbC123" ADD_DATE="1500000000" TAGS="a b">A thought</A>',
        "<DD>In two:",
        "    - lines",
        '<DT><A HREF="/shaare/AbC-12">B</A>',
        "<DD>More",
        '<DT><A HREF="https://a.example/?AbC123">C</A>',
        "<DD>Of a page",
        '<DT><A HREF="?xyz_12">Only a title</A>',
    )
    assert (note.url, note.title, note.text, note.tags) == (None, "A thought", "In two:\n    - lines", ("a", "b"))
    assert (also.url, also.text) == (None, "More")
    assert (link.url, link.text, link.note) == ("https://a.example/?AbC123", None, "Of a page")
    assert (title_only.url, title_only.text) == (None, "Only a title")


def test_raindrop() -> None:
    starred, plain = links(
        "Raindrop.io Bookmarks",
        '<DT><H3 ADD_DATE="0" LAST_MODIFIED="0">Unsorted</H3><DL><p>',
        '<DT><A HREF="https://a.example/" ADD_DATE="1500000000" TAGS="x"',
        ' DATA-COVER="https://a.example/c.png" DATA-IMPORTANT="true">A</A>',
        "<DD>Excerpt",
        "</DL><p>",
        '<DT><H3>Work</H3><DL><p><DT><A HREF="https://b.example/" DATA-IMPORTANT="false">B</A></DL><p>',
    )
    assert (starred.starred, starred.tags, starred.note) == (True, ("x",), "Excerpt")
    assert (plain.starred, plain.tags) == (None, ("Work",))


def test_google_writes_microseconds_and_a_copy_for_each_label() -> None:
    link = '<DT><A HREF="https://a.example/" ADD_DATE="1500000000000000">A</A>'
    labels = [f'<DT><H3 ADD_DATE="1500000000000000">{name}</H3><DL><p>{link}</DL><p>' for name in ("One", "Two")]
    found = links("Bookmarks", *labels)
    assert [item.tags for item in found] == [("One",), ("Two",)]
    assert {item.saved_at for item in found} == {datetime(2017, 7, 14, 2, 40, tzinfo=UTC)}


def test_readeck() -> None:
    link = '<DT><A HREF="https://a.example/" TAGS="a&#44; b,c">A</A>'
    folders = [f"<DT><H3>{name}</H3><DL><p>{link}</DL><p>" for name in ("Favorite", "Archived", "Uncategorized", "x")]
    found = links("Readeck Bookmarks", *folders)
    assert [(item.starred, item.archived) for item in found] == [(True, None), (None, True), (None, None), (None, None)]
    assert [item.tags for item in found] == [("a, b", "c")] * 3 + [("a, b", "c", "x")]
