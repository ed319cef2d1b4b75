"""Karakeep and Linkwarden, whose lists contain each other."""

import json
from datetime import UTC, datetime
from typing import Any

from nexus.text.imports.records import ImportedFeed, ImportedItem
from tests.pure.imports.objects.samples import KARAKEEP, LINKWARDEN, LISTS
from tests.pure.imports.reading import feeds, items, problems, read


def karakeep(*bookmarks: Any, lists: list[Any] | None = None) -> dict[str, str]:
    return {"k.json": json.dumps({"bookmarks": bookmarks, "lists": LISTS if lists is None else lists})}


def linkwarden(*collections: dict[str, Any], pinned: Any = ()) -> dict[str, str]:
    """An export with the keys of an account around it, and links before the name of their collection."""
    account = {"id": 1, "username": "u", "collections": [dict(reversed(each.items())) for each in collections]}
    return {"l.json": json.dumps({**account, "pinnedLinks": pinned, "whitelistedUsers": []})}


def test_every_field_of_karakeep() -> None:
    (item,) = items(karakeep(KARAKEEP))
    assert item == ImportedItem(
        "k.json",
        1,
        url="https://salt.example/",
        title="Salt",
        saved_at=datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
        tags=("food", "Home/Kitchen-Pantry"),
        archived=True,
        note="taste it",
    )


def test_karakeep_without_lists() -> None:
    older = {key: value for key, value in KARAKEEP.items() if key not in ("lists", "archived")}
    (item,) = items({"k.json": json.dumps({"bookmarks": [older]})})
    assert (item.tags, item.archived) == (("food",), None)
    assert items(karakeep(KARAKEEP | {"lists": ["l3", "gone", None, {"id": 1}]}))[0].tags == ("food",)


def test_karakeep_keeps_texts_without_a_link() -> None:
    text = KARAKEEP | {"content": {"type": "text", "text": "Buy salt.\nAnd pepper."}, "title": None}
    (item,) = items(karakeep(text))
    assert (item.url, item.title, item.text) == (None, None, "Buy salt.\nAnd pepper.")
    (problem,) = problems(karakeep(KARAKEEP, KARAKEEP | {"content": None}))
    assert (problem.line, problem.code, problem.title) == (2, "no_link", "Salt")


def test_lists_that_contain_themselves() -> None:
    lists = [
        {"id": "l2", "name": "A", "parentId": "l1"},
        {"id": "l1", "name": "B", "parentId": "l2"},
        {"id": "l0", "name": "C", "parentId": "l0"},
    ]
    assert items(karakeep(KARAKEEP | {"lists": ["l2", "l0"]}, lists=lists))[0].tags == ("food", "B/A", "C")


def test_lists_with_equal_names_under_different_parents_differ() -> None:
    lists = [{"id": str(n), "name": "Same", "parentId": parent} for n, parent in ((1, None), (2, "1"), (3, "1"))]
    assert items(karakeep(KARAKEEP | {"tags": [], "lists": ["2", "3", "1"]}, lists=lists))[0].tags == (
        "Same/Same",
        "Same",
    )


def test_every_field_of_linkwarden() -> None:
    files = linkwarden(
        {"id": 2, "name": "Shed", "parentId": 1, "links": [LINKWARDEN]},
        {"id": 1, "name": "House", "parentId": None, "links": []},
        pinned=[{"id": 5}],
    )
    (item,) = items(files)
    assert item == ImportedItem(
        "l.json",
        1,
        url="https://wood.example/",
        title="Wood & glue",
        saved_at=datetime(2019, 2, 2, tzinfo=UTC),
        tags=("diy", "House/Shed"),
        starred=True,
        note="for the shed",
        text="Glue holds.",
    )


def test_linkwarden_without_ids() -> None:
    link = {key: value for key, value in LINKWARDEN.items() if key not in ("id", "importDate")}
    files = linkwarden(
        {"name": "First", "links": [link]},
        {"name": "Unorganized", "links": [link | {"url": "https://other.example/"}]},
        pinned=[{"url": "https://wood.example/"}],
    )
    first, second = items(files)
    assert (first.tags, first.starred, first.saved_at) == (("diy", "First"), True, datetime(2024, 2, 2, tzinfo=UTC))
    assert (second.tags, second.starred) == (("diy",), False)


def test_uploads_to_linkwarden_have_no_link() -> None:
    upload = LINKWARDEN | {"url": None, "type": "pdf", "textContent": None}
    (problem,) = problems(linkwarden({"id": 1, "name": "Shed", "links": [upload]}))
    assert (problem.code, problem.title) == ("no_link", "Wood & glue")


def test_collections_that_are_no_objects_do_not_move_the_tags() -> None:
    whole = json.dumps(
        {"collections": [None, [LINKWARDEN], {"id": 1, "name": "Shed", "links": [LINKWARDEN]}], "pinnedLinks": None}
    )
    assert [item.tags for item in items({"l.json": whole})] == [("diy", "Shed")]


def test_subscriptions_of_linkwarden_are_feeds() -> None:
    feed = {"id": 1, "name": "Wood news", "url": "https://wood.example/feed", "lastBuildDate": None}
    files = linkwarden({"id": 1, "name": "Shed", "links": [LINKWARDEN], "rssSubscriptions": [feed, {"url": "x"}, 1]})
    assert feeds(files) == [ImportedFeed("l.json", 2, "https://wood.example/feed", "Wood news", ("Shed",))]


def test_they_are_called_by_their_names() -> None:
    assert read(karakeep(KARAKEEP))[0].labels == ("Karakeep",)
    assert read(linkwarden({"links": [LINKWARDEN]}))[0].labels == ("Linkwarden",)
