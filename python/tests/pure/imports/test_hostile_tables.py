"""Tables that are damaged, hand-made or made to harm."""

import tracemalloc
from pathlib import Path

import pytest

from nexus.text.imports.read_export import read_export
from nexus.text.imports.records import ImportProblem
from nexus.text.imports.tables import csv_rows
from nexus.text.process_pool import ProcessPool
from tests.pure.imports.reading import memory_for, read

HEADER = "title,url,time_added,tags,status\n"


def row(number: int, title: str = "A") -> str:
    return f"{title},https://a.example/{number},1650000000,x|y,unread\n"


def found(text: str | bytes) -> list[tuple[int, str]]:
    """The line, and the last part of the link or the problem."""
    _, records = read({"x.csv": text})
    return [
        (record.line, record.message if isinstance(record, ImportProblem) else (record.url or "").rpartition("/")[2])
        for record in records
    ]


UNCLOSED = "A quotation mark in this row is never closed."


def test_quotes_that_never_close() -> None:
    many = "".join(row(number) for number in range(5, 50))
    text = HEADER + row(1) + row(2, '"Open') + row(3) + row(4) + many
    assert found(text) == [(2, "1"), (3, UNCLOSED), (4, "3"), (5, "4"), *[(n + 1, str(n)) for n in range(5, 50)]]


def test_a_quote_that_is_closed_by_the_next_one() -> None:
    text = HEADER + row(1, '"Open') + row(2) + row(3, '"Closed, well"') + row(4) + row(5, '"End')
    assert found(text) == [(2, UNCLOSED), (3, "2"), (4, "3"), (5, "4"), (6, UNCLOSED)]


def test_cells_of_several_lines_are_no_rows() -> None:
    text = HEADER + row(1, '"One\n\nhttps://b.example/\nthree ""four"""') + row(2, 'a 12" disc')
    assert found(text) == [(2, "1"), (6, "2")]


def test_too_few_and_too_many_cells_and_blank_lines() -> None:
    text = HEADER + "A,https://a.example/1\n\n,,,,\n" + row(2).strip() + ",more,cells\r\n\r" + row(3)
    assert found(text) == [(2, "1"), (5, "2"), (7, "3")]


@pytest.mark.parametrize(
    "cell", ['"' + "z" * 3_000, '"' + "z\n" * 3_000, "z" * 3_000], ids=["quoted", "lines", "plain"]
)
def test_a_cell_beyond_the_bound(monkeypatch: pytest.MonkeyPatch, cell: str) -> None:
    monkeypatch.setattr(csv_rows, "MAX_ROW_CHARS", 1_000)
    end = '",' if cell.startswith('"') else ","
    text = HEADER + row(1) + cell + end + row(2) + row(3)
    lines = text[: text.index(row(3))].count("\n") + 1
    assert found(text) == [(2, "1"), (3, "This row has more than 1,000 characters."), (lines, "3")]


def test_an_unclosed_quote_in_a_file_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "MAX_ROW_CHARS", 1_000)
    text = HEADER + row(1, '"Open') + "".join(row(number) for number in range(2, 200))
    assert found(text) == [(2, UNCLOSED), *[(number + 1, str(number)) for number in range(2, 200)]]


@pytest.mark.processor_seconds(10)
def test_nothing_but_quotes_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each row would be read again from every row before it."""
    monkeypatch.setattr(csv_rows, "MAX_CHARS_AGAIN", 10_000_000)
    text = HEADER + row(1, '"') * 20_001
    found(text)


def test_a_cell_far_beyond_the_bound_takes_no_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with path.open("w") as file:
        file.write(HEADER + row(1) + '"')
        file.writelines(["z" * (1 << 20)] * 60)
        file.write('",' + row(2) + row(3))
    monkeypatch.setattr(csv_rows, "MAX_ROW_CHARS", 1 << 20)
    tracemalloc.start()
    try:
        summary = read_export([("x.csv", path)], tmp_path / "rows")
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert (summary.counts.items, summary.counts.problems, summary.problems[0].line) == (2, 1, 3)


def test_a_hundred_thousand_rows_take_no_more_memory_than_ten(tmp_path: Path) -> None:
    with ProcessPool(workers=1, deadline_seconds=60) as pool:
        for count, allowed in ((10, 20 << 20), (100_000, 5 << 20)):
            path = tmp_path / f"{count}.csv"
            with path.open("w") as file:
                file.write(HEADER)
                file.writelines(row(number, '"A, title"') for number in range(count))
            total, more = pool.run(memory_for, path, tmp_path / "rows")
            assert total == count
            assert more < allowed
