"""Positions in the fragments of a text, and in the string that they are joined to."""

from hypothesis import given
from hypothesis import strategies as st

from nexus.text.quotes.joined_text import JoinedText, Point, Span

PARTS = st.lists(st.text(alphabet="ab \n🙂é\u0301ש", max_size=8), min_size=1, max_size=5)


@given(PARTS, st.data())
def test_a_span_survives_being_written_as_points(parts: list[str], data: st.DataObject) -> None:
    joined = JoinedText([3 * number for number in range(len(parts))], parts)
    start = data.draw(st.integers(0, len(joined.text)))
    end = data.draw(st.integers(start, len(joined.text)))
    first, last = joined.points(Span(start, end))
    again = joined.span(first, last)
    if end - start >= 1 and joined.text[end - 1 : end] != "\n":
        assert again == Span(start, end)
    elif again is not None:
        # An end right behind a line feed between two fragments may be written as the end of the first.
        assert joined.text[again.start : again.end].strip() == joined.text[start:end].strip()


@given(PARTS, st.data())
def test_points_survive_being_written_as_a_span(parts: list[str], data: st.DataObject) -> None:
    joined = JoinedText(range(len(parts)), parts)
    fragment = data.draw(st.integers(0, len(parts) - 1))
    offsets = data.draw(st.tuples(st.integers(0, len(parts[fragment])), st.integers(0, len(parts[fragment]))))
    start, end = (Point(fragment, offset) for offset in sorted(offsets))
    span = joined.span(start, end)
    assert (span is None) == (start == end)
    if span:
        assert joined.text[span.start : span.end] == parts[fragment][start.offset : end.offset]
        assert joined.points(span) == (start, end)


def test_what_the_text_does_not_have() -> None:
    joined = JoinedText([1, 2], ["One", "Two"])
    assert joined.span(Point(1, 0), Point(2, 3)) == Span(0, 7)
    for start, end in (
        (Point(0, 0), Point(1, 1)),
        (Point(1, 0), Point(3, 0)),
        (Point(1, 4), Point(2, 1)),
        (Point(1, 0), Point(2, 4)),
        (Point(2, 0), Point(1, 3)),
        (Point(1, 3), Point(1, 3)),
    ):
        assert joined.span(start, end) is None


def test_context() -> None:
    joined = JoinedText([0, 1], ["x" * 100, "y" * 100])
    assert joined.context(Span(90, 110)) == ("x" * 64, "y" * 64)
    assert joined.context(Span(0, 201)) == ("", "")
    assert joined.context(Span(100, 101)) == ("x" * 64, "y" * 64)
