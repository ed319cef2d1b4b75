"""Pocket's export, in all the forms it had."""

import json
from datetime import UTC, datetime

import pytest

from nexus.text.imports.records import ImportedHighlight, ImportedItem
from tests.pure.imports.reading import items, problems, read, zipped

HEADER = "title,url,time_added,tags,status\n"
ROW = '"Frost, a ""map""",https://ice.example/m?a=1&b=2,1650000000,maps|long read|,archive\n'
SAVED = datetime(2022, 4, 15, 5, 20, tzinfo=UTC)


def test_every_field() -> None:
    assert items({"part_000000.csv": HEADER + ROW}) == [
        ImportedItem(
            "part_000000.csv", 2, url="https://ice.example/m?a=1&b=2", title='Frost, a "map"', saved_at=SAVED,
            tags=("maps", "long read"), archived=True, read=True,
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "row", "archived"),
    [
        ("title,url,time_added,cursor,tags,status", "A,https://a.example/,1650000000,x1,t,unread", False),
        ("title,url,time_added,tags", "A,https://a.example/,1650000000,t", None),
        ("Title;URL;Time_Added;Tags;Status", "A;https://a.example/;1650000000;t;UNREAD", False),
        ("status\ttags\turl\ttime_added\ttitle", "archive\tt\thttps://a.example/\t1650000000\tA", True),
        (
            '\ufeff"title","url","time_added","tags","status"',
            '"A","https://a.example/","1650000000","t","archive"',
            True,
        ),
        ("sep=,\r\ntitle,url,time_added,tags,status", "A,https://a.example/,1650000000,t,unread", False),
    ],
    ids=["cursor", "earliest", "excel", "tabs", "quoted", "sep"],
)
def test_variants_of_the_header(header: str, row: str, archived: bool | None) -> None:
    (item,) = items({"x.csv": f"{header}\r\n{row}"})
    assert (item.url, item.title, item.saved_at, item.tags, item.archived) == (
        "https://a.example/", "A", SAVED, ("t",), archived,
    )  # fmt: skip


def test_the_title_is_none_where_it_is_the_link() -> None:
    (item,) = items({"x.csv": HEADER + "https://a.example/,https://a.example/,0,,unread\n"})
    assert (item.title, item.saved_at, item.tags) == (None, None, ())


def test_parts_highlights_and_collections_of_a_zip() -> None:
    annotations = [
        {"url": "https://a.example/", "title": "A", "highlights": [{"quote": "one", "created_at": 1650000000}]},
        {"url": "https://lost.example/", "title": "Lost", "highlights": [{"quote": "two", "created_at": 0}, {"x": 1}]},
        {"url": "", "title": "None", "highlights": []},
    ]
    collection = {
        "slug": "salt-1", "title": "On salt", "description": None, "createdAt": "2022-04-15T05:20:00.000Z",
        "items": [{"url": "https://c.example/", "title": "C", "excerpt": "…", "note": "why"}],
    }  # fmt: skip
    export = zipped(
        {
            "pocket/part_000000.csv": HEADER + "A,https://a.example/,1650000000,,unread\n",
            "pocket/part_000001.csv": HEADER + "B,https://b.example/,1650000000,,archive\nbad,javascript:x,1,,unread\n",
            "pocket/annotations/part_000000.json": json.dumps(annotations),
            "pocket/collections/salt-1.json": json.dumps(collection),
            "__MACOSX/pocket/._part_000000.csv": b"\0\5\26\7",
        }
    )
    summary, records = read({"pocket.zip": export})
    assert summary.sources == ("pocket",)
    assert [record for record in records if isinstance(record, ImportedItem)] == [
        ImportedItem(
            "pocket.zip/pocket/part_000000.csv", 2, "https://a.example/", "A", SAVED, archived=False, read=False,
            highlights=(ImportedHighlight("one", created_at=SAVED),),
        ),
        ImportedItem(
            "pocket.zip/pocket/part_000001.csv", 2, "https://b.example/", "B", SAVED, archived=True, read=True
        ),
        ImportedItem(
            "pocket.zip/pocket/annotations/part_000000.json", 2, "https://lost.example/", "Lost",
            highlights=(ImportedHighlight("two"),),
        ),
        ImportedItem(
            "pocket.zip/pocket/collections/salt-1.json", 1, "https://c.example/", "C", SAVED, ("On salt",), note="why"
        ),
    ]  # fmt: skip
    assert [(each.file, each.line, each.code, each.url) for each in summary.problems] == [
        ("pocket.zip/pocket/annotations/part_000000.json", 3, "no_link", None),
        ("pocket.zip/pocket/part_000001.csv", 3, "unsupported_link", "javascript:x"),
    ]
    assert (summary.counts.items, summary.counts.highlights, summary.counts.problems) == (4, 2, 2)


def test_parts_as_files_of_their_own() -> None:
    annotations = '[{"url":"https://a.example/","title":"A","highlights":[{"quote":"one","created_at":1650000000}]}]'
    files = {"highlights.json": annotations, "1.csv": HEADER + "A,https://a.example/,1,,\n", "2.csv": HEADER + ROW}
    found = items(files)
    assert [(item.file, len(item.highlights)) for item in found] == [("1.csv", 1), ("2.csv", 0)]


def test_json_that_was_cut_off_does_not_stop_the_table() -> None:
    files = {"annotations/part_000000.json": '[{"url": "htt', "part_000000.csv": HEADER + ROW}
    (problem,) = problems({"pocket.zip": zipped(files)})
    assert (problem.file, problem.code) == ("pocket.zip/annotations/part_000000.json", "unreadable_file")
    assert read({"pocket.zip": zipped(files)})[0].counts.items == 1
