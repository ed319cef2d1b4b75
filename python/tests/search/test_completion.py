"""The unfinished word at the end of a query."""

import pytest

from nexus.search.completion import PartialQuery, can_be_written, read_partial_query


@pytest.mark.parametrize(
    ("typed", "partial"),
    [
        ("", PartialQuery("")),
        ("comets ", PartialQuery("comets ")),
        ("comets ta", PartialQuery("comets ", value="ta")),
        ("tag:", PartialQuery("", operator="tag")),
        ("comets TAG:sk", PartialQuery("comets ", operator="tag", value="sk")),
        ("-site:exa", PartialQuery("", minus="-", operator="site", value="exa")),
        ('comets tag:"to re', PartialQuery("comets ", operator="tag", value="to re")),
        ('tag:"', PartialQuery("", operator="tag")),
        ("-", PartialQuery("", value="-")),
        ('tag:"to read"', None),
        ('"to re', None),
        ('"to read"', None),
    ],
)
def test_the_end_of_a_query(typed: str, partial: PartialQuery | None) -> None:
    assert read_partial_query(typed) == partial


def test_a_value_is_written_so_that_it_is_read_again() -> None:
    partial = PartialQuery("comets ", minus="-", operator="tag", value="t")
    assert partial.completed("tag", "to read") == 'comets -tag:"to read" '
    assert partial.completed("tag", "to/read") == "comets -tag:to/read "
    assert partial.completed("tag") == "comets -tag:"
    assert can_be_written("to read")
    assert not can_be_written('24" screens')
