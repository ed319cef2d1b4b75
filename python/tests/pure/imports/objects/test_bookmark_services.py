import json
from datetime import UTC, datetime
from typing import Any

import pytest

from nexus.errors import ImportEmptyError, ImportNotRecognisedError
from nexus.text.imports.records import ImportedItem
from tests.pure.imports.objects.samples import DELICIOUS, FILES, GOODLINKS, LINKWARDEN, PINBOARD, READABILITY, file_of
from tests.pure.imports.reading import items, problems, read


def of(name: str, *entries: Any) -> dict[str, str]:
    return {"x.json": file_of(name, list(entries))}


def test_every_field_of_pinboard() -> None:
    (item,) = items(of("pinboard", PINBOARD))
    assert item == ImportedItem(
        "x.json", 1, url="https://pin.example/", title="Pins", saved_at=datetime(2015, 6, 7, 8, 9, 10, tzinfo=UTC),
        tags=("metal", "sewing"), read=False, note="sharp",
    )  # fmt: skip


def test_pinboard_does_not_say_that_the_others_were_read() -> None:
    assert items(of("pinboard", PINBOARD | {"toread": "no"}))[0].read is None
    untitled = items(of("pinboard", PINBOARD | {"description": False, "extended": False, "tags": ""}))[0]
    assert (untitled.title, untitled.note, untitled.tags) == (None, None, ())


def test_every_field_of_delicious() -> None:
    (item,) = items(of("delicious", DELICIOUS))
    assert item == ImportedItem(
        "x.json", 1, url="https://tea.example/", title="Tea", saved_at=datetime(2009, 8, 11, 14, 13, 20, tzinfo=UTC),
        tags=("drink", "hot"), note="green",
    )  # fmt: skip
    assert [item.tags for item in items(of("delicious", DELICIOUS | {"tags": [""]}, DELICIOUS | {"tags": "a,b"}))] == [
        (),
        ("a", "b"),
    ]


def test_every_field_of_goodlinks() -> None:
    (item,) = items(of("goodlinks", GOODLINKS))
    assert item == ImportedItem(
        "x.json", 1, url="https://good.example/", title="Good", tags=("fine",), starred=True, read=True,
        saved_at=datetime(2020, 9, 13, 12, 26, 40, 500_000, tzinfo=UTC),
    )  # fmt: skip
    assert items(of("goodlinks", GOODLINKS | {"readAt": None}))[0].read is False
    without = {key: value for key, value in GOODLINKS.items() if key != "readAt"}
    assert items(of("goodlinks", without))[0].read is None


def test_every_field_of_readability() -> None:
    (item,) = items(of("readability", READABILITY))
    assert item == ImportedItem(
        "x.json", 1, url="https://able.example/", title="Able", archived=True, starred=False,
        saved_at=datetime(2013, 4, 5, 6, 7, 8, tzinfo=UTC),
    )  # fmt: skip
    assert items(of("readability", READABILITY | {"date_added": "2013-04-05T06:07:08+02:00"}))[0].saved_at == datetime(
        2013, 4, 5, 4, 7, 8, tzinfo=UTC
    )


@pytest.mark.parametrize("link", ["javascript:alert(1)", "place:sort=8", "about:blank", "file:///x", "data:,x", "/x"])
def test_what_is_no_link_to_a_page_is_a_problem(link: str) -> None:
    (problem,) = problems(of("pinboard", PINBOARD, PINBOARD | {"href": link}))
    assert (problem.file, problem.line, problem.url, problem.title) == ("x.json", 2, link, "Pins")


@pytest.mark.parametrize("name", FILES)
def test_each_is_recognised_by_its_content(name: str) -> None:
    summary, records = read({"no name": file_of(name, [FILES[name][0]])})
    assert summary.sources == (name.split(maxsplit=1)[0],)
    assert len(records) == 1


@pytest.mark.parametrize(
    ("source", "around"),
    [
        ("karakeep", "bookmarks"),
        ("readability", "bookmarks"),
        ("google-reader", "items"),
        ("miniflux", "entries"),
    ],
)
def test_entries_are_enough_to_recognise_it(source: str, around: str) -> None:
    summary, _ = read({"x.json": json.dumps({"version": {"bookmarks": 1}, around: [None, FILES[source][0]]})})
    assert summary.sources == (source,)
    assert read({"x.json": json.dumps({"collections": [{"links": [LINKWARDEN]}]})})[0].sources == ("linkwarden",)


@pytest.mark.parametrize("name", FILES)
def test_keys_in_another_order_and_behind_a_mark(name: str) -> None:
    """UTF-16 too, which the editor of Windows writes."""
    expected = read(of(name, FILES[name][0]))[1]
    turned = json.dumps(_turned(FILES[name][1]([FILES[name][0]])), indent=1)
    assert read({"x.json": "\ufeff" + turned})[1] == expected
    assert read({"x.json": turned.encode("utf-16")})[1] == expected


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "text",
    [
        '{"bookmarks": [], "lists": []}',
        '{"recommendations": [], "bookmarks": []}',
        '{"collections": [], "pinnedLinks": []}',
        '{"id": "user/-/state/com.google/starred", "items": []}',
        '{"total": 0, "entries": []}',
        '{"_embedded": {"items": []}}',
        '{"roots": {"bookmark_bar": {"children": []}}}',
    ],
)
def test_an_export_without_entries_is_said_to_be_empty(text: str) -> None:
    with pytest.raises(ImportEmptyError, match="no entries"):
        read({"x.json": text})


@pytest.mark.parametrize("text", ["[]", " [ ]\n", "\ufeff[]"])
def test_an_array_without_entries_may_be_of_any_program(text: str) -> None:
    with pytest.raises(ImportNotRecognisedError, match=r"There are no entries in x\.json"):
        read({"x.json": text})
    (problem,) = problems({"x.json": text, "y.json": file_of("pinboard", [PINBOARD])})
    assert (problem.file, problem.code) == ("x.json", "unreadable_file")
