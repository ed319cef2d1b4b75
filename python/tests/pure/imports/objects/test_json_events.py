"""JSON of any size, depth and kind, and the objects that are built from it."""

import json
import tracemalloc
from io import StringIO
from typing import Any

import pytest

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.objects.events import EACH, MAX_DEPTH, MAX_STRING, MAX_VALUES, entries, events_of
from nexus.text.imports.objects.fields import MAX_CONTENT_CHARS
from nexus.text.imports.records import ImportedItem, ImportProblem
from tests.pure.imports.objects.samples import FILES, PINBOARD, WALLABAG
from tests.pure.imports.reading import read


def at(text: str, *path: str, **options: Any) -> list[Any]:
    return [entry.value for entry in entries(events_of(StringIO(text), "x.json"), *path, **options)]


def test_values_at_a_path() -> None:
    text = '{"a": [{"b": [1, {"c": 2}]}, {"b": {"c": 3}}, 4, {"x": {"b": [5]}}, {"b": [6]}], "b": [7]}'
    assert at(text, "a", EACH, "b", EACH) == [1, {"c": 2}, 6]
    assert at(text, "b", EACH) == [7]
    assert at(text, EACH) == []
    assert at("[1, [2], null]", EACH) == [1, [2], None]
    assert at('"text"', EACH) == []
    assert at('{"a": {"b": [true]}}', "a", "b", EACH) == [True]


def test_positions_count_every_element_of_the_arrays_on_the_way() -> None:
    text = '{"a": [null, [1], {"b": [2, 3]}, {"b": 1}, {"b": [4]}]}'
    found = list(entries(events_of(StringIO(text), "x"), "a", EACH, "b", EACH))
    assert [(entry.positions, entry.value) for entry in found] == [((2, 0), 2), ((2, 1), 3), ((4, 0), 4)]


def test_keys_that_are_not_wanted_are_not_built() -> None:
    assert at('[{"a": [{"b": 1}], "b": {"a": 2}}]', EACH, without=("a",)) == [{"b": {"a": 2}}]


def test_what_is_nested_too_deep_is_left_out() -> None:
    inside: Any = 1
    for _ in range(MAX_DEPTH - 1):
        inside = [inside]
    assert at(json.dumps([inside]), EACH) == [inside]
    text = '[{"a": ' + "[" * 100_000 + "1" + "]" * 100_000 + ', "b": 2}, 3]'
    first, second = at(text, EACH)
    assert (first["b"], second) == (2, 3)
    assert str(first["a"]) == "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)


def test_an_entry_has_at_most_so_many_values() -> None:
    first, second = at(f"[[{'0,' * MAX_VALUES}0, 0], [1]]", EACH)
    assert (len(first), second) == (MAX_VALUES, [1])


def test_an_entry_has_at_most_so_much_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strings that are each within the limit would together be as large as the file."""
    monkeypatch.setattr("nexus.text.imports.objects.events.MAX_CHARS", 1000)
    first, second = at(json.dumps([["x" * 300] * 5 + [1], ["y" * 900]]), EACH)
    assert (first, second) == (["x" * 300] * 3, ["y" * 900])


@pytest.mark.parametrize("number", ["1" + "0" * 5000, "1e999", "9" * 400 + ".5"])
def test_numbers_that_no_program_writes_end_the_file_and_not_the_process(number: str) -> None:
    with pytest.raises(UnreadableDocumentError):
        at(f"[1, {number}]", EACH)


def test_what_follows_the_value_does_not_matter() -> None:
    assert at('[1] <script src="x">', EACH) == [1]


def test_half_of_a_pair_and_nul() -> None:
    assert at('["\\ud83d\\ude00 \\ud800 \\u0000"]', EACH) == ["😀 ? \0"]


class EndlessString(StringIO):
    """A file with one string that does not end."""

    def __init__(self) -> None:
        super().__init__()
        self.given = 0

    def read(self, size: int | None = -1) -> str:
        self.given += size or 0
        return '["' + "x" * ((size or 0) - 2) if self.given == size else "x" * (size or 0)


def test_a_string_that_does_not_end_is_not_kept() -> None:
    endless = EndlessString()
    with pytest.raises(UnreadableDocumentError):
        list(events_of(endless, "x.json"))
    assert endless.given < 3 * MAX_STRING


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_off_is_read_up_to_there(name: str) -> None:
    entry, whole = FILES[name]
    text = json.dumps(whole([entry, entry]))
    cut = text[: text.rindex(json.dumps(entry)) + 20]
    expected = read({"x": json.dumps(whole([entry]))})[1]
    *found, problem = read({"x": cut})[1]
    assert [_without_lists(record) for record in found] == [_without_lists(record) for record in expected]
    assert isinstance(problem, ImportProblem)
    assert (problem.file, problem.line, problem.code) == ("x", 2, "unreadable_file")


def _without_lists(record: Any) -> Any:
    """Without tags and lists: they are written behind the entries, and are cut off with the file's end."""
    return record.url, record.title, record.saved_at


def test_entries_that_are_no_objects_are_problems() -> None:
    _, records = read({"x": json.dumps([PINBOARD, None, 1, "x", [PINBOARD], PINBOARD])})
    assert [record.line for record in records if isinstance(record, ImportedItem)] == [1, 6]
    assert [record.code for record in records if isinstance(record, ImportProblem)] == ["invalid_entry"] * 4


def test_content_that_is_left_out_is_said() -> None:
    item, problem = read({"w.json": json.dumps([WALLABAG | {"content": "x" * (MAX_CONTENT_CHARS + 1)}])})[1]
    assert isinstance(item, ImportedItem)
    assert item.html is None
    assert isinstance(problem, ImportProblem)
    assert (problem.line, problem.code, problem.title) == (1, "too_large", "Cat's cradle")


def test_a_long_file_is_read_one_entry_at_a_time() -> None:
    stream = _RepeatedText(json.dumps(WALLABAG | {"content": "x" * 100_000}), 200)
    tracemalloc.start()
    try:
        count = sum(1 for _ in entries(events_of(stream, "x"), EACH))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 200
    assert peak < 2_000_000  # of 20 MB


class _RepeatedText(StringIO):
    def __init__(self, entry: str, times: int) -> None:
        super().__init__()
        self.parts = iter(["[" + entry, *("," + entry for _ in range(times - 1)), "]", ""])

    def read(self, _size: int | None = -1) -> str:
        return next(self.parts)
