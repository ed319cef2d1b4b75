import json
from datetime import UTC, datetime

from nexus.text.imports.objects.omnivore import read_highlights
from nexus.text.imports.records import ImportedHighlight, ImportedItem, ImportProblem
from tests.pure.imports.objects.samples import OMNIVORE
from tests.pure.imports.reading import items, problems, read, zipped

HIGHLIGHTS = (
    "A note on the page\n\n> Ice is\nslow\n> and cold \n\n#cold #long read\n\nTrue.\n\nVery.\n\n> Second \n\n> "
)
NEWSLETTER = OMNIVORE | {"slug": "news", "url": "https://omnivore.app/no_url?q=abc", "title": "News"}


def export(*entries: object, **files: str) -> dict[str, bytes]:
    named = {
        name.replace("__", "/").replace("_html", ".html").replace("_md", ".md"): text for name, text in files.items()
    }
    return {"omnivore.zip": zipped({"metadata_0_to_20.json": json.dumps(entries), **named})}


def test_every_field_of_an_entry() -> None:
    (item,) = items(export(OMNIVORE, **{"content/on-ice.html": "<p>ice</p>", "highlights/on-ice.md": HIGHLIGHTS}))
    assert item == ImportedItem(
        "omnivore.zip/metadata_0_to_20.json",
        1,
        url="https://ice.example/on",
        title="On ice",
        saved_at=datetime(2023, 5, 6, 7, 8, 9, 120_000, tzinfo=UTC),
        tags=("cold", "Water/Ice"),
        archived=True,
        progress=0.01,
        note="A note on the page",
        highlights=(
            ImportedHighlight("Ice is\nslow\nand cold", "True.\n\nVery.", tags=("cold", "long read")),
            ImportedHighlight("Second"),
        ),
        html="<p>ice</p>",
        author="Cy",
        published_at=datetime(2020, 1, 2, tzinfo=UTC),
    )


def test_active_and_unknown_are_not_archived() -> None:
    found = items(export(*(OMNIVORE | {"state": state} for state in ("Active", "Unknown", "Archived", None))))
    assert [item.archived for item in found] == [False, False, True, False]


def test_files_in_a_parent_folder_and_in_their_order() -> None:
    files: dict[str, str | bytes] = {
        "export/metadata_20_to_40.json": json.dumps([OMNIVORE | {"slug": "b"}]),
        "export/metadata_3_to_20.json": json.dumps([OMNIVORE | {"slug": "a"}]),
        "export/content/a.html": "<p>of a</p>",
        "export/content/b.pdf": b"%PDF-1.7",
        "__MACOSX/export/._metadata_3_to_20.json": b"\0\5\26\7",
    }
    summary, records = read({"o.zip": zipped(files)})
    assert summary.sources == ("omnivore",)
    assert [(record.file, record.html) for record in records if isinstance(record, ImportedItem)] == [
        ("o.zip/export/metadata_3_to_20.json", "<p>of a</p>"),
        ("o.zip/export/metadata_20_to_40.json", None),
    ]
    assert summary.counts.problems == 0  # the pages are not reported as unknown files


def test_newsletters_have_only_their_text() -> None:
    (item,) = items(export(NEWSLETTER, **{"content/news.html": "<p>hello</p>"}))
    assert (item.url, item.title, item.html) == (None, "News", "<p>hello</p>")
    uploaded = NEWSLETTER | {"url": "https://omnivore.app/attachments/u/1/file.pdf"}
    first, second = problems(export(NEWSLETTER, uploaded, **{"content/other.html": "x"}))
    assert (first.code, first.title) == ("no_link", "News")
    assert second.url == "https://omnivore.app/attachments/u/1/file.pdf"


def test_one_merged_file() -> None:
    highlights = [
        {
            "quote": "q",
            "annotation": "n",
            "color": "red",
            "labels": [{"name": "l"}],
            "createdAt": "2023-05-06T07:08:09Z",
        },
        {"quote": None, "annotation": "of the page"},
    ]
    (item,) = items({"all.json": json.dumps([OMNIVORE | {"highlights": highlights, "labels": [{"name": "cold"}]}])})
    assert item.tags == ("cold",)
    assert item.highlights == (ImportedHighlight("q", "n", "pink", ("l",), datetime(2023, 5, 6, 7, 8, 9, tzinfo=UTC)),)


def test_slugs_do_not_leave_their_folder() -> None:
    entry = OMNIVORE | {"slug": "../content/secret"}
    (item,) = items(export(entry, **{"content/secret.html": "<p>other</p>"}))
    assert item.html is None


def test_a_damaged_page_costs_only_that_page() -> None:
    whole = zipped({"metadata_0_to_20.json": json.dumps([OMNIVORE]), "content/on-ice.html": "<p>ice</p>" * 1000})
    at = whole.index(b"on-ice.html") + 40
    _, records = read({"o.zip": whole[:at] + bytes(20) + whole[at + 20 :]})
    assert any(isinstance(record, ImportProblem) for record in records)
    assert [record.url for record in records if isinstance(record, ImportedItem)] == ["https://ice.example/on"]


def test_highlights_with_nothing_in_them() -> None:
    assert read_highlights("") == (None, ())
    assert read_highlights(">\n\n> \n\n#a") == (None, ())
    assert read_highlights("only a note") == ("only a note", ())
    assert read_highlights("> q\n\n# Heading of a note") == (
        None,
        (ImportedHighlight("q", tags=("Heading of a note",)),),
    )
