"""Bookmarks of browsers as JSON."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from nexus.errors import ImportNotRecognisedError
from nexus.text.imports.objects.bookmark_trees import MAX_LEVELS
from nexus.text.imports.records import ImportedFeed, ImportedItem, ImportProblem
from tests.pure.imports.objects.samples import CHROME, FIREFOX
from tests.pure.imports.reading import feeds, items, problems, read


def chrome(**roots: Any) -> dict[str, str]:
    """Bookmarks as Chrome writes them, with sorted keys: a folder's children before its name."""
    return {"Bookmarks": json.dumps({"checksum": "x", "roots": roots, "version": 1}, sort_keys=True)}


def folder(name: Any, *children: Any) -> dict[str, Any]:
    return {"children": list(children), "name": name, "type": "folder", "date_added": "0"}


def places(title: str, *children: Any, **fields: Any) -> dict[str, Any]:
    return {"guid": "x", "title": title, "typeCode": 2, "type": "text/x-moz-place-container", **fields,
            "children": list(children)}  # fmt: skip


def firefox(*children: Any) -> str:
    return json.dumps(places("", *children, guid="root________", root="placesRoot"))


def test_every_field_of_chrome() -> None:
    (item,) = items(chrome(bookmark_bar=folder("Bookmarks bar", CHROME)))
    assert item == ImportedItem(
        "Bookmarks", 1, url="https://chrome.example/", title="Chrome page",
        saved_at=datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
    )  # fmt: skip


def test_folders_of_chrome_are_tags_and_its_roots_are_none() -> None:
    found = items(
        chrome(
            bookmark_bar=folder("Bookmarks bar", folder("News", CHROME, folder("TCP/IP", CHROME)), CHROME),
            other=folder("Other bookmarks", folder("", folder("Inside", CHROME))),
            synced=folder("Mobile bookmarks", CHROME | {"date_added": "0"}),
            sync_transaction_version="1",
        )
    )
    assert [item.tags for item in found] == [("News",), ("News/TCP-IP",), (), ("Inside",), ()]
    assert found[-1].saved_at is None


def test_every_field_of_firefox() -> None:
    (item,) = items({"b.json": firefox(places("toolbar", FIREFOX, guid="toolbar_____"))})
    assert item == ImportedItem(
        "b.json", 1, url="https://fox.example/", title="Fox", saved_at=datetime(2017, 7, 14, 2, 40, tzinfo=UTC),
        tags=("red", "quick"), note="a fox",
    )  # fmt: skip


def test_folders_of_firefox_are_tags_and_its_roots_are_none() -> None:
    plain = {"typeCode": 1, "uri": "https://fox.example/", "title": "Fox"}
    found = items(
        {
            "b.json": firefox(
                places("menu", places("News", plain, places("World", plain)), guid="menu________"),
                places("Tags of mine", {"type": "text/x-moz-place-separator", "typeCode": 3}, plain, guid="own"),
                places("mobile", plain, root="mobileFolder"),
                {"guid": "unfiled_____", "typeCode": 2},
            )
        }
    )
    assert [item.tags for item in found] == [("News",), ("News/World",), ("Tags of mine",), ()]


def test_older_firefoxes_have_a_folder_for_each_tag() -> None:
    link = {"typeCode": 1, "uri": "https://fox.example/", "title": "Fox"}
    tags = places("", places("red", link), places("quick", link, {"uri": "https://gone.example/"}), root="tagsFolder")
    (item,) = items({"b.json": firefox(tags, places("menu", link, root="bookmarksMenuFolder"))})
    assert item.tags == ("red", "quick")


def test_live_bookmarks_are_feeds() -> None:
    live = {"title": "News", "typeCode": 2, "annos": [{"name": "livemark/feedURI", "value": "https://n.example/feed"}]}
    assert feeds({"b.json": firefox(places("menu", places("A", live), guid="menu________"))}) == [
        ImportedFeed("b.json", 1, "https://n.example/feed", "News", ("A",))
    ]


def test_searches_and_scripts_are_problems() -> None:
    (first, second) = problems(
        {"b.json": firefox(FIREFOX | {"uri": "place:sort=8&maxResults=10", "title": "Recent"}, FIREFOX, {"uri": 7})}
    )
    assert (first.line, first.url, first.title) == (1, "place:sort=8&maxResults=10", "Recent")
    assert (second.line, second.code) == (3, "no_link")


def lz4(data: bytes, *, size: int | None = None) -> bytes:
    """Two literals and a match wherever the last four bytes repeat; long runs of both."""
    block = bytearray()
    at = start = 0
    while at < len(data) - 12:
        found = data.rfind(data[at : at + 4], max(0, at - 65535), at + 3)
        if found < 0:
            at += 1
            continue
        length = 4
        while at + length < len(data) - 5 and data[found + length] == data[at + length]:
            length += 1
        block += sequence(data[start:at], at - found, length)
        at = start = at + length
    return (
        b"mozLz40\0"
        + (len(data) if size is None else size).to_bytes(4, "little")
        + bytes(block + sequence(data[start:]))
    )


def sequence(literals: bytes, offset: int = 0, length: int = 4) -> bytes:
    def more(count: int) -> bytes:
        return b"" if count < 15 else b"\xff" * ((count - 15) // 255) + bytes([(count - 15) % 255])

    token = bytes([min(len(literals), 15) << 4 | min(length - 4, 15)])
    match = offset.to_bytes(2, "little") + more(length - 4) if offset else b""
    return token + more(len(literals)) + literals + match


def test_compressed_bookmarks_of_firefox() -> None:
    links = [FIREFOX | {"uri": f"https://fox.example/{number}", "title": "z" * number} for number in range(500)]
    plain = firefox(places("menu", *links, guid="menu________"))
    packed = lz4(plain.encode())
    assert len(packed) < len(plain) / 4
    summary, found = read({"bookmarks-2024.jsonlz4": packed})
    assert summary.labels == ("Firefox",)
    assert [record.url for record in found] == [link["uri"] for link in links]


def test_long_runs_are_unpacked_in_pieces() -> None:
    title = "y" * 300_000
    (item,) = items({"b.jsonlz4": lz4(firefox(FIREFOX | {"title": title}).encode())})
    assert item.title == title[:1000]


@pytest.mark.parametrize("kind", ["cut", "size", "offset", "header", "literals"])
def test_damaged_compressed_bookmarks_are_a_problem(kind: str) -> None:
    packed = lz4(firefox(*[FIREFOX] * 50).encode())
    damaged = {
        "cut": packed[:200],
        "size": lz4(firefox(FIREFOX).encode(), size=10),
        "offset": packed[:12] + sequence(b'{"guid":', 9, 20),
        "header": packed[:9],
        "literals": packed[:12] + b"\xf0" + b"\xff" * 100,
    }[kind]
    (problem,) = [record for record in read({"b.jsonlz4": damaged})[1] if isinstance(record, ImportProblem)]
    assert problem.code == "unreadable_file"


def test_a_block_that_claims_gigabytes_is_not_unpacked() -> None:
    (problem,) = problems({"b.jsonlz4": b"mozLz40\0\xff\xff\xff\xff" + sequence(b"{", 1, 100_000_000)})
    assert "too large" in problem.message


def test_folders_that_are_nested_without_end() -> None:
    deep = '{"type": "folder", "name": "a", "children": [' * 100_000
    text = '{"roots": {"bookmark_bar": {"children": [' + json.dumps(CHROME) + "," + deep
    *found, cut_off = read({"Bookmarks": text})[1]
    assert [record.url for record in found if isinstance(record, ImportedItem)] == ["https://chrome.example/"]
    assert isinstance(cut_off, ImportProblem)
    closed = text + json.dumps(CHROME) + "]}" * 100_000 + "," + json.dumps(CHROME) + "]}}}"
    first, second, problem = read({"Bookmarks": closed})[1]
    assert (first, second.line) == (found[0], 2)
    assert isinstance(problem, ImportProblem)
    assert (problem.code, str(MAX_LEVELS) in problem.message) == ("nested_too_deep", True)


def test_an_object_with_nothing_of_bookmarks_is_not_recognised() -> None:
    with pytest.raises(ImportNotRecognisedError):
        read({"x.json": '{"roots": 1, "children": {"guid": 1}}'})
