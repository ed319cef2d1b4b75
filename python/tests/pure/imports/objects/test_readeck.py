import json
from datetime import UTC, datetime
from typing import Any

from nexus.text.imports.records import ImportedHighlight, ImportedItem, ImportProblem
from tests.pure.imports.reading import items, read, zipped

INFO: dict[str, Any] = {
    "UID": "u1", "Created": "2024-05-06T07:08:09.123456789Z", "URL": "https://deck.example/", "State": 0,
    "InitialURL": "https://deck.example/?from=mail", "Title": "Deck", "Published": "2024-01-01T00:00:00Z",
    "Authors": ["Gus", "Hal"], "Lang": "en", "DocumentType": "article", "Description": "What the page says of itself",
    "SiteName": "Decks", "Labels": ["wood", "Outside/Garden"], "ReadProgress": 50, "IsArchived": True, "IsMarked": True,
    "Annotations": [
        {"text": "oiled", "note": "twice", "color": "red", "created": "2024-05-07T00:00:00Z", "start_selector": "p"},
        {"text": "dry", "note": "", "color": "none"},
        {"text": ""},
    ],
}  # fmt: skip


def backup(info: Any = INFO, page: str | None = "<p>oil</p>", root: str = "") -> dict[str, bytes]:
    files: dict[str, str | bytes] = {
        f"{root}data.json": json.dumps({"Info": {}, "Users": [{"Password": "x"}], "BookmarkCollections": []}),
        f"{root}bookmarks/u1/info.json": info if isinstance(info, str) else json.dumps(info),
        f"{root}bookmarks/u1/container/_resources/a.png": b"\x89PNG",
        f"{root}bookmarks/u1/container/_resources/style.html": "<p>not a page</p>",
    }
    if page is not None:
        files[f"{root}bookmarks/u1/container/index.html"] = page
    return {"readeck.zip": zipped(files)}


def test_every_field() -> None:
    (item,) = items(backup())
    assert item == ImportedItem(
        "readeck.zip/bookmarks/u1/info.json",
        1,
        url="https://deck.example/",
        title="Deck",
        saved_at=datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC),
        tags=("wood", "Outside/Garden"),
        archived=True,
        starred=True,
        progress=0.5,
        highlights=(
            ImportedHighlight("oiled", "twice", "pink", (), datetime(2024, 5, 7, tzinfo=UTC)),
            ImportedHighlight("dry"),
        ),
        html="<p>oil</p>",
        author="Gus, Hal",
        site_name="Decks",
        lang="en",
        published_at=datetime(2024, 1, 1, tzinfo=UTC),
    )
    assert read(backup())[0].sources == ("readeck",)


def test_without_a_page_and_in_a_parent_folder() -> None:
    (item,) = items(backup(page=None, root="backup/"))
    assert (item.html, item.file) == (None, "readeck.zip/backup/bookmarks/u1/info.json")


def test_a_page_that_was_not_loaded_has_no_content() -> None:
    for state in (1, 2):
        assert items(backup(INFO | {"State": state}))[0].html is None


def test_the_link_that_was_saved_where_the_last_one_is_missing() -> None:
    assert items(backup(INFO | {"URL": ""}))[0].url == "https://deck.example/?from=mail"


def test_what_is_no_bookmark_is_a_problem() -> None:
    for info in ("[1]", "null", "{", ""):
        _, records = read(backup(info))
        assert [type(record) for record in records] == [ImportProblem], info


def test_a_page_that_is_too_large_is_a_problem_and_the_bookmark_arrives() -> None:
    item, problem = read(backup(page="<p>" + "word " * 4_300_000))[1]
    assert isinstance(item, ImportedItem)
    assert item.html is None
    assert isinstance(problem, ImportProblem)
    assert problem.file.endswith("container/index.html")
