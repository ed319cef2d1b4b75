"""Packed bodies: every packing, bounded memory, and no body that is silently shorter than it was sent."""

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.errors import ConnectionFailedError, MaxBytesError
from nexus.web.egress import Egress, Limits
from nexus.web.egress.decoding import PIECE, decoded, decoders_for
from tests.egress.sites import Site, Visit, text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"".join(f"Line {number} of a page that is worth reading.\n".encode() for number in range(3000))
MEBIBYTE = bytes(1 << 20)
GIBIBYTE = 1024


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def unpacked(encoding: str, *chunks: bytes) -> bytes:
    return b"".join(decoded(iter(chunks), decoders_for(encoding)))


@pytest.mark.parametrize("encoding", PACKERS)
def test_every_packing_is_undone(site: Site, new_egress: Callable[..., Egress], encoding: str) -> None:
    site.routes["/"] = text(PACKERS[encoding](TEXT), Content_Encoding=encoding.upper())
    egress = new_egress(limits=Limits())
    with egress.stream(site.url()) as answer:
        pieces = list(answer.iter_bytes())
    assert b"".join(pieces) == TEXT
    assert max(map(len, pieces)) <= PIECE


@given(data=st.binary(max_size=3000), encoding=st.sampled_from(sorted(PACKERS)), cut=st.integers(1, 50))
def test_however_it_is_cut_on_the_way(data: bytes, encoding: str, cut: int) -> None:
    packed = PACKERS[encoding](data)
    assert unpacked(encoding, *(packed[at : at + cut] for at in range(0, len(packed), cut))) == data


@pytest.mark.parametrize("first", PACKERS)
@pytest.mark.parametrize("second", PACKERS)
def test_two_layers(first: str, second: str) -> None:
    assert unpacked(f"{first}, identity, {second}", PACKERS[second](PACKERS[first](TEXT))) == TEXT


def test_odd_but_usual_forms() -> None:
    assert unpacked("deflate", raw_deflate(TEXT)) == TEXT
    assert unpacked("gzip", gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"
    assert unpacked("gzip", gzip.compress(b"one") + bytes(50)) == b"one"
    assert unpacked("zstd", zstd.compress(b"one ") + zstd.compress(b"two")) == b"one two"
    for encoding in (*PACKERS, "", "identity"):
        assert unpacked(encoding) == b""
        assert unpacked(encoding, b"") == b""


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_body_that_breaks_off_is_not_a_shorter_body(encoding: str) -> None:
    packed = PACKERS[encoding](TEXT)
    for length in (1, len(packed) // 2, len(packed) - 1):
        with pytest.raises(ConnectionFailedError) as failed:
            unpacked(encoding, packed[:length])
        assert failed.value.retryable


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_body_that_is_damaged(site: Site, egress: Egress, encoding: str) -> None:
    site.routes["/"] = text(b"\xfe\xfd this is not packed at all", Content_Encoding=encoding)
    with pytest.raises(ConnectionFailedError):
        egress.fetch(site.url())


@pytest.mark.parametrize("encoding", ["compress", "aes128gcm", "gzip, sdch", "gzip, gzip, gzip, gzip", "br;q=1"])
def test_a_packing_we_did_not_ask_for(site: Site, egress: Egress, encoding: str) -> None:
    site.routes["/"] = text(b"x", Content_Encoding=encoding)
    with pytest.raises(ConnectionFailedError, match="nobody asked for") as failed:
        egress.fetch(site.url())
    assert not failed.value.retryable


def test_the_limit_is_exact_and_counts_what_comes_out(site: Site, egress: Egress) -> None:
    site.routes["/"] = text(gzip.compress(TEXT), Content_Encoding="gzip")
    assert len(egress.fetch(site.url(), limits=Limits(max_bytes=len(TEXT))).body) == len(TEXT)
    with pytest.raises(MaxBytesError) as failed:
        egress.fetch(site.url(), limits=Limits(max_bytes=len(TEXT) - 1))
    assert (failed.value.code, failed.value.retryable) == ("max_bytes_exceeded", False)


def test_a_length_beyond_the_limit_is_refused_before_the_body(site: Site, egress: Egress) -> None:
    def promise(visit: Visit) -> None:
        visit.send_response(200)
        visit.send_header("Content-Length", str(1 << 40))
        visit.end_headers()
        visit.rfile.read(1)

    site.routes["/"] = promise
    with pytest.raises(MaxBytesError):
        egress.fetch(site.url())


def test_padding_that_decodes_to_nothing_is_counted_too(site: Site, egress: Egress) -> None:
    """A skippable frame of zstd is bytes on the wire and none in the body."""
    skipped = b"\x50\x2a\x4d\x18" + (60_000).to_bytes(4, "little") + bytes(60_000)

    def pad(visit: Visit) -> None:
        visit.send_response(200)
        visit.send_header("Content-Encoding", "zstd")
        visit.send_header("Connection", "close")
        visit.end_headers()
        while True:
            visit.wfile.write(skipped)

    site.routes["/"] = pad
    with pytest.raises(MaxBytesError):
        egress.fetch(site.url())


def gzip_bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    head = packer.compress(MEBIBYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush the next block stands alone, so one is packed and repeated.
    again = packer.compress(MEBIBYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + again * (GIBIBYTE - 1)


def brotli_bomb() -> bytes:
    packer = brotli.Compressor(quality=3, lgwin=22)
    return bytes(b"".join(packer.process(MEBIBYTE) for _ in range(GIBIBYTE)) + packer.finish())


def zstd_bomb() -> bytes:
    packer = zstd.ZstdCompressor(level=1)
    return b"".join(packer.compress(MEBIBYTE) for _ in range(GIBIBYTE)) + packer.flush()


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip": ("gzip", gzip_bomb),
    "gzip-gzip": ("gzip, gzip", lambda: gzip.compress(gzip_bomb())),
    "br": ("br", brotli_bomb),
    "zstd": ("zstd", zstd_bomb),
    "identity": ("identity", bytes),
}
FETCH = """
import json, resource, sys
from nexus.errors import NexusError
from nexus.web.egress import Egress, Limits
from nexus.web.public_address import AllowList
with Egress(allow=AllowList.parse(["127.0.0.2"]), user_agent="x", limits=Limits(max_bytes=2_000_000)) as egress:
    egress.fetch(sys.argv[1] + "small")
    for name in sys.argv[2:]:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            egress.fetch(sys.argv[1] + name)
            code = "none"
        except NexusError as error:
            code = error.code
        print(json.dumps([name, code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]))
"""


def test_bombs_of_a_gibibyte_cost_an_error_and_no_memory(site: Site) -> None:
    def endless(visit: Visit) -> None:
        visit.send_response(200)
        visit.end_headers()
        for _ in range(GIBIBYTE):
            visit.wfile.write(MEBIBYTE)

    for name, (encoding, make) in BOMBS.items():
        site.routes[f"/{name}"] = text(make(), Content_Encoding=encoding) if name != "identity" else endless
    site.routes["/small"] = text()
    done = subprocess.run(
        [sys.executable, "-c", FETCH, site.url(), *BOMBS], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    results = {name: (code, kibibytes) for name, code, kibibytes in map(json.loads, done.stdout.splitlines())}
    assert {name: code for name, (code, _) in results.items()} == dict.fromkeys(BOMBS, "max_bytes_exceeded")
    assert all(kibibytes < 50_000 for _, kibibytes in results.values()), results
