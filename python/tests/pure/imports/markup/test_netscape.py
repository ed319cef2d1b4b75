"""Bookmark files of browsers, in all their forms."""

from datetime import UTC, datetime

import pytest

from nexus.text.imports.records import ImportedFeed, ImportedItem, ImportProblem
from tests.pure.imports.reading import feeds, items, problems, read

HEADER = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
"""
BROWSER = (
    HEADER
    + """<DL><p>
    <DT><H3 ADD_DATE="1500000000" LAST_MODIFIED="1500000001" PERSONAL_TOOLBAR_FOLDER="true">Leiste</H3>
    <DL><p>
        <DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1500000000" ICON="data:image/png,AAAA">A &amp; b</A>
        <DT><H3 ADD_DATE="0">Cooking</H3>
        <DL><p>
            <DT><H3>Bread/Cake</H3>
            <DD>All of flour, see <A HREF="https://inside.example/">this</A>
            <DL><p>
                <DT><A HREF="https://b.example/" ADD_DATE="1500000000000000" TAGS="rye, long read" SHORTCUTURL="b">B</A>
                <DD>First line
second &lt;line&gt; with <A HREF="https://no.example/">a link</A>
                <HR>
            </DL><p>
            <DT><A HREF="https://c.example/">C
  on two lines</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="https://d.example/" ADD_DATE="05/Mar/2004:07:08:09 +0100">D</A>
    <DT><A FEEDURL="https://f.example/feed" HREF="https://f.example/">Feed</A>
    <DT><A HREF="place:type=6&amp;sort=14">Recent tags</A>
    <DT><A HREF="javascript:alert('x')">Bookmarklet</A>
</DL>
<script>document.write('<DT><A HREF="https://script.example/">')</script>
"""
)


def test_every_field_of_a_browsers_file() -> None:
    _, records = read({"bookmarks.html": BROWSER})
    name = "bookmarks.html"
    assert records[:5] == [
        ImportedItem(name, 1, url="https://a.example/?x=1&y=2", title="A & b",
                     saved_at=datetime(2017, 7, 14, 2, 40, tzinfo=UTC)),
        ImportedItem(name, 2, url="https://b.example/", title="B", saved_at=datetime(2017, 7, 14, 2, 40, tzinfo=UTC),
                     tags=("rye", "long read", "Cooking/Bread-Cake"), note="First line\nsecond <line> with a link"),
        ImportedItem(name, 3, url="https://c.example/", title="C on two lines", tags=("Cooking",)),
        ImportedItem(name, 4, url="https://d.example/", title="D", saved_at=datetime(2004, 3, 5, 6, 8, 9, tzinfo=UTC)),
        ImportedFeed(name, 5, "https://f.example/feed", "Feed"),
    ]  # fmt: skip
    assert [(record.line, record.url, record.title) for record in records[5:]] == [
        (6, "place:type=6&sort=14", "Recent tags"),
        (7, "javascript:alert('x')", "Bookmarklet"),
    ]
    assert all(isinstance(record, ImportProblem) for record in records[5:])


def test_line_ends_case_and_marks_do_not_matter() -> None:
    expected = read({"b.html": BROWSER})[1]
    for text in (
        "\ufeff\n " + BROWSER,
        BROWSER.replace("<DT>", "<dt>").replace("<A HREF", "<a href").replace("</A>", "</a>").replace("<DL>", "<dl>"),
        BROWSER.replace("NETSCAPE-Bookmark-file-1", "netscape-bookmark-file-1"),
        BROWSER.replace("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n", ""),
        BROWSER.replace("\n", "\r\n"),
    ):
        assert read({"b.html": text})[1] == expected
    assert read({"b.html": BROWSER.encode("utf-16")})[1] == expected


def html(*lines: str) -> dict[str, str]:
    return {"b.html": HEADER + "\n".join(lines)}


def test_without_an_outer_list_and_without_any() -> None:
    safari = html(
        '<DT><H3 FOLDED>Favorites</H3>', "<DL><p>", '<DT><A HREF="https://a.example/">A</A>', "</DL><p>",
        '<DT><H3 FOLDED>Mine</H3>', "<DL><p>", '<DT><A HREF="https://b.example/">B</A>', "</DL><p>",
        '<DT><H3 FOLDED id="com.apple.ReadingList">Reading List</H3>',
        "<DL><p>", '<DT><A HREF="https://c.example/">C</A>', "</DL><p>",
    )  # fmt: skip
    assert [(item.tags, item.read) for item in items(safari)] == [((), None), (("Mine",), None), ((), False)]
    named = html('<DT><H3 name="com.apple.ReadingList">x</H3><DL><DT><A HREF="https://c.example/">C</A></DL>')
    assert items(named)[0].read is False
    flat = html("<DT><H3>Folder</H3>", '<DT><A HREF="https://a.example/">A</A>', '<A HREF="https://b.example/">B</A>')
    assert [item.url for item in items(flat)] == ["https://a.example/", "https://b.example/"]


def test_a_users_favorites_are_a_folder() -> None:
    (item,) = items(html('<DT><H3 ADD_DATE="1">Favorites</H3><DL><DT><A HREF="https://a.example/">A</A></DL>'))
    assert item.tags == ("Favorites",)


@pytest.mark.parametrize("name", ["Other bookmarks", "Mobile Bookmarks", "Lesezeichenleiste", "Autres marque-pages"])
def test_folders_of_browsers_are_no_tags_at_the_top(name: str) -> None:
    folder = f'<DL><DT><H3 ADD_DATE="1">{name}</H3><DL><DT><A HREF="https://a.example/">A</A></DL></DL>'
    assert items(html(folder))[0].tags == ()
    assert items(html(f"<DL><DT><H3>Own</H3>{folder}</DL>"))[0].tags == (f"Own/{name}",)


def test_a_description_before_its_link() -> None:
    before = html(
        '<DL><DT><DD>of the link<A HREF="https://a.example/">A</A>', '<DT><A HREF="https://b.example/">B</A></DL>'
    )
    assert [(item.title, item.note) for item in items(before)] == [("A", "of the link"), ("B", None)]
    closed = html('<DL><DT><DD>of it</DD><A HREF="https://a.example/">A</A></DL>')
    assert items(closed)[0].note == "of it"


def test_two_descriptions_and_breaks_in_them() -> None:
    (item,) = items(html('<DL><DT><A HREF="https://a.example/">A</A><DD>one<br>two<DD>three</DL>'))
    assert item.note == "one\ntwo\nthree"


def test_a_folder_after_a_list_is_not_in_it() -> None:
    text = html(
        "<DL><DT><H3>One</H3><DL><DT><A HREF='https://a.example/'>A</A></DL>",
        "<DT><A HREF='https://b.example/'>B</A>",
        "<DT><H3></H3><DL><DT><A HREF='https://c.example/'>C</A></DL></DL></DL></DL>",
        "<DT><A HREF='https://d.example/'>D</A>",
    )
    assert [item.tags for item in items(text)] == [("One",), (), (), ()]


def test_links_that_are_none() -> None:
    found = problems(
        html(
            '<DT><A>Nothing</A><DT><A HREF="">Empty</A><DT><A HREF="page.html">Near</A><DT><A HREF="https://a.example">A</A>'
        )
    )
    assert [(each.code, each.title) for each in found] == [
        ("no_link", "Nothing"),
        ("no_link", "Empty"),
        ("relative_link", "Near"),
    ]


def test_titles_and_dates_that_say_nothing() -> None:
    first, second = items(
        html(
            '<DT><A HREF="https://a.example/" ADD_DATE="0">https://a.example/</A>',
            '<DT><A HREF="https://b.example/" ADD_DATE="-1"></A>',
        )
    )
    assert (first.title, first.saved_at) == (None, None)
    assert (second.title, second.saved_at) == (None, None)


@pytest.mark.processor_seconds(60)
def test_a_hundred_thousand_folders_in_each_other() -> None:
    text = html("<DL><DT><H3>f</H3>" * 100_000, '<DL><DT><A HREF="https://a.example/">A</A>', "</DL>" * 100_001,
                '<DT><A HREF="https://b.example/">B</A>')  # fmt: skip
    deep, flat = items(text)
    assert (deep.url, deep.tags[0][:6], len(deep.tags[0]) <= 100) == ("https://a.example/", "f/f/f/", True)
    assert flat.tags == ()


def test_feeds_are_in_their_folder() -> None:
    text = html(
        '<DL><DT><H3>News</H3><DL><DT><A FEEDURL="https://f.example/feed" HREF="https://f.example/">F</A></DL></DL>'
    )
    assert feeds(text) == [ImportedFeed("b.html", 1, "https://f.example/feed", "F", ("News",))]
