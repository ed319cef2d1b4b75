"""A value of another type than the program writes gives a problem or a missing field, never an error."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nexus.text.imports.records import ImportedFeed, ImportedItem, ImportProblem
from tests.pure.imports.objects.samples import FILES, file_of
from tests.pure.imports.objects.test_readeck import INFO
from tests.pure.imports.reading import read, zipped

KEYS = ["name", "title", "label", "url", "href", "content", "text", "quote", "children", "id", "tags", "value"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", " ", "0", "-1", "\0", "\ud800", "a,b", "https://a.example/", "javascript:1", "9" * 400])
    | st.text(max_size=5)
)
# Values of every type, with keys that mean something elsewhere.
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in an entry."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, each in inside for below in paths(each, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], junk)
    return copy


@pytest.mark.parametrize("name", FILES)
def test_each_place_of_an_entry_may_hold_anything(name: str) -> None:
    entry, _ = FILES[name]
    junk: list[Any] = [
        None,
        True,
        0,
        -1,
        1.5,
        10**17,
        "",
        "x",
        "\ud800\0",
        [],
        [None],
        [[]],
        {},
        {"name": 1},
        {"content": []},
    ]
    wrong = [replaced(entry, path, value) for path in paths(entry) for value in junk]
    summary, records = read({"x.json": file_of(name, [entry, *wrong, entry])})
    assert summary.sources == (name.split(maxsplit=1)[0],)
    assert [type(record) for record in (records[0], records[-1])] == [ImportedItem, ImportedItem]
    # What is no entry of a tree may be a folder or a separator.
    assert len(records) == len(wrong) + 2 or name in ("chrome", "firefox")


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_entries_and_files_of_anything(name: str, data: st.DataObject) -> None:
    entry, _ = FILES[name]
    keys = data.draw(st.permutations([*entry]))
    shuffled = {key: entry[key] for key in keys}
    wrong = [
        replaced(shuffled, data.draw(st.sampled_from(paths(entry))), data.draw(JUNK)),
        {key: data.draw(JUNK) for key in keys},
        data.draw(JUNK),
    ]
    _, records = read({"x.json": file_of(name, [entry, *wrong])})
    assert isinstance(records[0], ImportedItem)
    assert all(isinstance(record, ImportedItem | ImportedFeed | ImportProblem) for record in records)


@pytest.mark.parametrize(
    ("name", "around"), [("karakeep", "lists"), ("linkwarden", "collections"), ("linkwarden", "pinnedLinks")]
)
@settings(max_examples=15, deadline=None)
@given(junk=JUNK)
def test_what_is_around_the_entries_may_be_anything(name: str, around: str, junk: Any) -> None:
    whole = json.loads(file_of(name, [FILES[name][0]]))
    mixed = [junk, *whole[around], {"id": junk, "name": junk, "parentId": junk, "links": junk, "url": junk}]
    _, records = read({"x.json": json.dumps(whole | {around: mixed})})
    assert any(isinstance(record, ImportedItem) for record in records)


@settings(max_examples=20, deadline=None)
@given(path=st.sampled_from(paths(INFO)), junk=JUNK)
def test_a_bookmark_of_readeck_may_be_anything(path: tuple[Any, ...], junk: Any) -> None:
    info = json.dumps(replaced(INFO, path, junk))
    files = {"data.json": "{}", "bookmarks/a/info.json": info, "bookmarks/b/info.json": json.dumps(INFO)}
    assert isinstance(read({"r.zip": zipped(files)})[1][-1], ImportedItem)
