"""The Range header, as RFC 9110 describes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.errors import RangeNotSatisfiableError
from nexus.http.streaming.byte_ranges import ByteRange, requested_range

SIZE = 1000


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-499", 0, 500),
        ("bytes=500-", 500, 1000),
        ("bytes=-200", 800, 1000),
        ("bytes=-5000", 0, 1000),
        ("bytes=999-2000", 999, 1000),
        ("Bytes = 10 - 19", 10, 20),
        ("bytes=0-999999999999999999", 0, 1000),
    ],
)
def test_one_range(header: str, start: int, end: int) -> None:
    found = requested_range(header, SIZE)
    assert found == ByteRange(start, end)
    assert found.header(SIZE) == f"bytes {start}-{end - 1}/1000"


@pytest.mark.parametrize(
    "header",
    [None, "", "bytes=", "bytes=-", "bytes=a-b", "items=0-5", "bytes=5-2", "bytes=0-1,5-6", "bytes=--5", "bytes=٣-",
     "bytes=0-99999999999999999999"],
)  # fmt: skip
def test_what_is_answered_with_the_whole(header: str | None) -> None:
    assert requested_range(header, SIZE) is None


@pytest.mark.parametrize("header", ["bytes=1000-", "bytes=1000-1001", "bytes=-0"])
def test_what_the_file_does_not_have(header: str) -> None:
    with pytest.raises(RangeNotSatisfiableError):
        requested_range(header, SIZE)


@given(st.integers(1, 10**6), st.text(max_size=30) | st.from_regex(r"bytes=\d{0,9}-\d{0,9}", fullmatch=True))
def test_a_range_lies_within_the_file(size: int, header: str) -> None:
    try:
        found = requested_range(header, size)
    except RangeNotSatisfiableError:
        return
    assert found is None or 0 <= found.start < found.end <= size
