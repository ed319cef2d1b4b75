"""Tables of other programs, field by field."""

from datetime import UTC, datetime

import pytest

from nexus.errors import ImportEmptyError, ImportNotRecognisedError
from nexus.text.imports.records import ImportedHighlight, ImportedItem
from tests.pure.imports.reading import items, problems, read, zipped

SAVED = datetime(2024, 3, 2, 9, 5, 7, tzinfo=UTC)
EPOCH = int(SAVED.timestamp())


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("Unread", {"archived": False, "read": False}),
        ("Archive", {"archived": True, "read": True}),
        ("Starred", {"starred": True}),
        ("To cook", {"tags": ("food", "sea", "To cook")}),
    ],
)
def test_instapaper(folder: str, said: dict[str, object]) -> None:
    row = f'https://a.example/x,On Salt,"one\n""two""",{folder},{EPOCH},"[""food"",""sea""]"\n'
    expected: dict[str, object] = {"tags": ("food", "sea"), **said}
    assert items({"i.csv": "URL,Title,Selection,Folder,Timestamp,Tags\n" + row}) == [
        ImportedItem("i.csv", 2, "https://a.example/x", "On Salt", SAVED, note='one\n"two"', **expected)  # type: ignore[arg-type]
    ]


def test_the_older_table_of_instapaper() -> None:
    text = "URL,Title,Selection,Folder\nhttps://a.example/,A,,Unread\nhttps://b.example/,B,,\n"
    assert [(item.saved_at, item.tags, item.archived) for item in items({"i.csv": text})] == [
        (None, (), False), (None, (), None),
    ]  # fmt: skip


def test_raindrop() -> None:
    header = "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
    marked = '"Highlight:First\nline\nNote:mine\n\nHighlight:Second"'
    row = '1,Cat&#39;s,my note,a&nbsp;b,https://a.example/,Work / Maps,"ai, New York",2024-03-02T09:05:07.000Z,,'
    row += f"{marked},true\n"
    bare = f"2,B,,,https://b.example/,Unsorted,,{EPOCH},,,false\n"
    first, second = items({"r.csv": header + row + bare})
    assert first == ImportedItem(
        "r.csv", 2, "https://a.example/", "Cat's", SAVED, ("ai", "New York", "Work/Maps"), starred=True, note="my note",
        highlights=(ImportedHighlight("First\nline", "mine"), ImportedHighlight("Second")),
    )  # fmt: skip
    assert second == ImportedItem("r.csv", 7, "https://b.example/", "B", SAVED, starred=False)


def test_readwise_reader() -> None:
    text = (
        "Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\n"
        "A,https://a.example/,1,\"['a', \"\"o'clock\"\", 'x, y', 'favorite']\","
        "2024-03-02 09:05:07.120000+00:00,0.25,archive,True\n"
        "B,https://b.example/,2,,2024-03-02 10:05:07+01:00,25,shortlist,False\n"
        "C,https://c.example/,3,,2024-03-02 09:05:07+00:00,0,feed,False\n"
        "Mail,mailto:x@example.org,4,,,,new,False\n"
        "None,,5,,,,later,False\n"
    )
    summary, records = read({"reader.csv": text})
    assert records[:3] == [
        ImportedItem(
            "reader.csv", 2, "https://a.example/", "A", SAVED.replace(microsecond=120_000), ("a", "o'clock", "x, y"),
            archived=True, starred=True, progress=0.25,
        ),
        ImportedItem(
            "reader.csv", 3, "https://b.example/", "B", SAVED, ("shortlist",), archived=False, read=False, progress=0.25
        ),
        ImportedItem("reader.csv", 4, "https://c.example/", "C", SAVED, read=False, progress=0.0, is_feed_item=True),
    ]  # fmt: skip
    assert [(each.line, each.code, each.message) for each in summary.problems] == [
        (5, "unsupported_link", "Only http and https links can be imported, not mailto:"),
        (6, "no_link", "There is no link."),
    ]
    assert summary.counts.feed_items == 1


READWISE = (
    "Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,"
    "Document tags\n"
    '"One, two",Salt,Ada,,mine,blue,"a,b",page,1,2024-03-02 09:05:07+00:00,cooking\n'
    "Three,Salt,Ada,,,orange,,page,2,,cooking\n"
    ",Salt,Ada,,,,,page,3,,\n"
    "Four,A,,,,,,,,,\n"
)


def test_readwise_highlights_of_books_have_a_title_alone() -> None:
    _, records = read({"h.csv": READWISE})
    assert records[1:] == [
        ImportedItem(
            "h.csv", 2, None, "Salt", SAVED, ("cooking",), author="Ada",
            highlights=(
                ImportedHighlight("One, two", "mine", "blue", ("a", "b"), SAVED),
                ImportedHighlight("Three", None, "yellow"),
            ),
        ),
        ImportedItem("h.csv", 5, None, "A", highlights=(ImportedHighlight("Four"),)),
    ]  # fmt: skip
    assert [(each.line, each.code) for each in problems({"h.csv": READWISE})] == [(4, "no_highlight")]


def test_readwise_highlights_are_joined_with_documents_by_title() -> None:
    reader = (
        "Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\n"
        "SALT,https://salt.example/,1,,,,later,True\nOther,https://o.example/,2,,,,later,True\n"
    )
    _, records = read({"reader.csv": reader, "h.csv": READWISE})
    found = [record for record in records if isinstance(record, ImportedItem)]
    assert [(item.title, item.url, len(item.highlights)) for item in found] == [
        ("SALT", "https://salt.example/", 2), ("Other", "https://o.example/", 0), ("A", None, 1),
    ]  # fmt: skip


def test_readwise_table_for_importing_has_links() -> None:
    text = (
        "Highlight,Title,Author,URL,Note,Location,Date\n"
        '"a ""b""",T,Ada,https://a.example/,n,1,2024-03-02 09:05:07\nc,T,Ada,https://a.example/,,2,\n'
    )
    assert items({"h.csv": text}) == [
        ImportedItem(
            "h.csv", 2, "https://a.example/", "T", SAVED, author="Ada",
            highlights=(ImportedHighlight('a "b"', "n", created_at=SAVED), ImportedHighlight("c")),
        )
    ]  # fmt: skip


def test_matter() -> None:
    history = (
        "Title,Author,Publisher,URL,Tags,Word Count,In Queue,Favorited,Read,Highlight Count,Last Interaction Date,"
        "File Id\n"
        "A,Ada,Site,https://a.example/,one;two words,10,False,True,True,1,2024-03-02 09:05:07,content_1.html\n"
        "B,,,https://b.example/,,,TRUE,False,False,0,,\n"
    )
    marked = "Text,Highlighted Date,Title,Author,Publisher\nquote,2024-03-02 09:05:07,A,Ada,Site\nlost,,Gone,,\n"
    export = zipped(
        {
            "Archive/_matter_history.csv": history,
            "Archive/_matter_highlights.csv": marked,
            "Archive/content_1.html": "<p>Ä",
        }
    )
    assert items({"Archive.zip": export}) == [
        ImportedItem(
            "Archive.zip/Archive/_matter_history.csv", 2, "https://a.example/", "A", SAVED, ("one", "two words"),
            archived=True, starred=True, read=True, html="<p>Ä", author="Ada", site_name="Site",
            highlights=(ImportedHighlight("quote", created_at=SAVED),),
        ),
        ImportedItem(
            "Archive.zip/Archive/_matter_history.csv", 3, "https://b.example/", "B", archived=False, starred=False,
            read=False,
        ),
        ImportedItem(
            "Archive.zip/Archive/_matter_highlights.csv", 3, title="Gone",
            highlights=(ImportedHighlight("lost"),),
        ),
    ]  # fmt: skip


def test_the_older_table_of_matter() -> None:
    text = (
        "Title,Author,Publisher,URL,Word Count,Saved,Read,Highlight_Count,Last Interaction Date\n"
        "A,Ada,Site,https://a.example/,10,True,False,0,2024-03-02 09:05:07\n"
    )
    (item,) = items({"m.csv": text})
    assert (item.archived, item.starred, item.read) == (False, None, False)


def test_readeck() -> None:
    text = (
        "url,title,created,labels,is_archived,is_marked,type\n"
        'https://a.example/,A,2024-03-02T09:05:07Z,"[""x, y"",""z""]",true,false,article\n'
    )
    assert items({"r.csv": text}) == [
        ImportedItem("r.csv", 2, "https://a.example/", "A", SAVED, ("x, y", "z"), archived=True, starred=False)
    ]


def test_wallabag() -> None:
    text = (
        "Title;URL;Content;Tags;MIME Type;Language;Creation date\n"
        '"A; B";https://a.example/;"<p>One\n""two""</p>";x, y z;text/html;fr_FR;02/03/2024 09:05:07\n'
        "C;https://c.example/;wallabag can't retrieve contents for this article.;;text/html;;\n"
    )
    first, second = items({"w.csv": text})
    assert first == ImportedItem(
        "w.csv", 2, "https://a.example/", "A; B", SAVED, ("x", "y z"), html='<p>One\n"two"</p>', lang="fr-FR"
    )
    assert second == ImportedItem("w.csv", 4, "https://c.example/", "C")


def test_diigo() -> None:
    marked = '"Highlight: One\n two\nSticky note: mine\nHighlight:Three"'
    text = (
        "title,url,tags,description,comments,annotations,created_at\n"
        f'A,https://a.example/,"x,y z",described,said,{marked},2024-03-02 09:05:07 UTC\n'
        "B,https://b.example/,no_tag,,,Sticky note: of the page,\n"
    )
    first, second = items({"diigo.zip": zipped({"diigo.csv": text})})
    assert first == ImportedItem(
        "diigo.zip/diigo.csv", 2, "https://a.example/", "A", SAVED, ("x", "y z"), note="described\n\nsaid",
        highlights=(ImportedHighlight("One\n two", "mine"), ImportedHighlight("Three")),
    )  # fmt: skip
    assert second == ImportedItem("diigo.zip/diigo.csv", 6, "https://b.example/", "B", note="of the page")


def test_mymind() -> None:
    text = (
        "id,type,title,url,content,note,tags,created\n"
        'x1,WebPage,A,https://a.example/,,mine,"a,b",2024-03-02T09:05:07Z\nx2,Note,B,,"Some\nwords",,,2024-03-02T09:05:07Z\n'
        "x3,Image,C,,,,,\n"
    )
    _, records = read({"mymind.csv": text})
    assert records[:2] == [
        ImportedItem("mymind.csv", 2, "https://a.example/", "A", SAVED, ("a", "b"), note="mine"),
        ImportedItem("mymind.csv", 3, None, "B", SAVED, text="Some\nwords"),
    ]
    assert [(each.line, each.code) for each in problems({"mymind.csv": text})] == [(5, "no_link")]


@pytest.mark.parametrize(
    ("header", "row", "said"),
    [
        ("url", "https://a.example/", {}),
        ("Name,Link,Tags", 'A,https://a.example/,"[x, y]"', {"title": "A", "tags": ("x", "y")}),
        ("url;labels;state", 'https://a.example/;"[""x"",""y z""]";archived', {"tags": ("x", "y z"), "archived": True}),
        ("href,tags,created", f"https://a.example/,x|y,{EPOCH}000", {"tags": ("x", "y"), "saved_at": SAVED}),
        ("url,folder,notes", "https://a.example/,A / B,n", {"tags": ("A/B",), "note": "n"}),
        ("url,status,starred", "https://a.example/,unread,1", {"archived": False, "starred": True}),
        ("url,is_read,is_archived", "https://a.example/,0,true", {"archived": True, "read": False}),
        ("url,saved_at,author", "https://a.example/,2024-03-02 09:05:07,Ada", {"saved_at": SAVED, "author": "Ada"}),
    ],
)  # fmt: skip
def test_any_table_with_a_column_of_links(header: str, row: str, said: dict[str, object]) -> None:
    summary, records = read({"x.csv": f"{header}\n{row}\n"})
    assert summary.sources == ("csv",)
    assert records == [ImportedItem("x.csv", 2, "https://a.example/", **said)]  # type: ignore[arg-type]


def test_tables_that_are_no_exports() -> None:
    with pytest.raises(ImportNotRecognisedError, match="no column of links: its columns are name, age"):
        read({"people.csv": "Name,Age\nAda,36\n"})
    with pytest.raises(ImportNotRecognisedError):
        read({"note.txt": "url, link, whatever\nis how this text begins\nand goes on, without a link\n"})


def test_a_table_without_rows_has_no_entries() -> None:
    with pytest.raises(ImportEmptyError, match="no entries in this export \\(Pocket\\)"):
        read({"x.csv": "title,url,time_added,tags,status\n"})


def test_exports_of_several_programs_at_once() -> None:
    files = {
        "pocket.csv": "title,url,time_added,tags,status\nA,https://a.example/,1,,unread\n",
        "links.txt": "https://b.example/\n",
        "notes.txt": "Words that are no export.\n",
    }
    summary, records = read(files)
    assert (summary.sources, summary.labels) == (("pocket", "links"), ("Pocket", "list of links"))
    assert [record.file for record in records] == ["pocket.csv", "links.txt", "notes.txt"]
    assert [(each.file, each.code) for each in summary.problems] == [("notes.txt", "not_recognised")]
    assert [row.url for row in summary.rows] == ["https://a.example/", "https://b.example/"]


def test_only_what_was_asked_for() -> None:
    text = "url,time_added\nhttps://a.example/,1\n"
    assert read({"x.csv": text}, source="csv")[0].sources == ("csv",)
    with pytest.raises(ImportNotRecognisedError, match="not an export of Instapaper"):
        read({"x.csv": text}, source="instapaper")
    with pytest.raises(ImportNotRecognisedError, match="no source “nothing”"):
        read({"x.csv": text}, source="nothing")
