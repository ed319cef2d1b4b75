"""The file of an original is unpacked to the same bytes, in bounded chunks, and no other file is taken for one."""

from collections.abc import Iterator

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from nexus.errors import DamagedOriginalError
from nexus.text.originals.original_file import CHUNK_BYTES, Original, OriginalFacts, keep_original, pack, unpack

FACTS = OriginalFacts("fetched", "https://example.org/a?b", None, "text/html; charset=latin-1", 200)
PAGE = b"<p>Once upon a time there was a page.</p>" * 10_000


def chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("size", [1, 7, 4096, 10_000_000])
def test_it_comes_out_as_it_went_in_however_it_is_cut(size: int) -> None:
    facts, pieces = unpack(chunks(pack(PAGE, FACTS), size))
    found = list(pieces)
    assert (facts, b"".join(found)) == (FACTS, PAGE)
    assert max(map(len, found)) <= CHUNK_BYTES


@given(st.binary(max_size=300), st.builds(OriginalFacts, st.just("rendered"), st.none() | st.text(max_size=20)))
def test_any_bytes_come_out_again(data: bytes, facts: OriginalFacts) -> None:
    known, pieces = unpack([pack(data, facts)])
    assert (known, b"".join(pieces)) == (facts, data)


def test_what_compresses_well_comes_out_in_small_pieces() -> None:
    packed = pack(bytes(50_000_000), FACTS)
    assert len(packed) < 10_000
    assert max(len(piece) for piece in unpack([packed])[1]) <= CHUNK_BYTES


def test_the_same_page_gives_the_same_file() -> None:
    assert pack(PAGE, FACTS) == pack(PAGE, FACTS)


def test_an_ordinary_decoder_restores_the_bytes() -> None:
    assert zstd.decompress(pack(PAGE, FACTS)) == PAGE


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"<html>",
        pack(PAGE, FACTS)[:50],
        pack(PAGE, FACTS)[:-1],
        pack(PAGE, FACTS).replace(b"latin-1", b'"""""""'),
        pack(PAGE, FACTS).replace(b'"how"', b'"who"'),
        pack(PAGE, FACTS)[: len(pack(b"", FACTS))] + b"x" * 100,
    ],
)
def test_what_is_damaged_is_refused(damaged: bytes) -> None:
    with pytest.raises(DamagedOriginalError):
        list(unpack(chunks(damaged, 64))[1])


def test_over_the_limit_none_is_kept_and_that_is_said_and_a_limit_of_zero_keeps_none() -> None:
    assert keep_original(PAGE, FACTS, len(PAGE) - 1) == Original(None, "too_large")
    assert keep_original(PAGE, FACTS, len(PAGE)) == Original(pack(PAGE, FACTS))
    assert keep_original(PAGE, FACTS, 0) is None
