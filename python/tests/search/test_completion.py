"""What is being typed at the end of a query."""

import pytest

from nexus.search.completion import Typing, can_be_written, read_typing


@pytest.mark.parametrize(
    ("typed", "typing"),
    [
        ("", Typing("")),
        ("comets ", Typing("comets ")),
        ("comets ta", Typing("comets ", value="ta")),
        ("tag:", Typing("", operator="tag")),
        ("comets TAG:sk", Typing("comets ", operator="tag", value="sk")),
        ("-site:exa", Typing("", minus="-", operator="site", value="exa")),
        ('comets tag:"to re', Typing("comets ", operator="tag", value="to re")),
        ('tag:"', Typing("", operator="tag")),
        ("-", Typing("", value="-")),
        ('tag:"to read"', None),
        ('"to re', None),
        ('"to read"', None),
    ],
)
def test_the_end_of_a_query(typed: str, typing: Typing | None) -> None:
    assert read_typing(typed) == typing


def test_a_value_is_written_so_that_it_is_read_again() -> None:
    typing = Typing("comets ", minus="-", operator="tag", value="t")
    assert typing.completed("tag", "to read") == 'comets -tag:"to read" '
    assert typing.completed("tag", "to/read") == "comets -tag:to/read "
    assert typing.completed("tag") == "comets -tag:"
    assert can_be_written("to read")
    assert not can_be_written('24" screens')
