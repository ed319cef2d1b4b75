"""Compressed bodies: every encoding, bounded memory, and no body that is silently truncated."""

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
from nexus.web.egress.decoding import CHUNK_BYTES, decoded, decoders_for
from tests.egress.sites import Site, SiteHandler, text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"".join(f"Line {number} of a page that is worth reading.\n".encode() for number in range(3000))
MEBIBYTE = bytes(1 << 20)
GIBIBYTE = 1024


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def decode(encoding: str, *chunks: bytes) -> bytes:
    return b"".join(decoded(iter(chunks), decoders_for(encoding)))


@pytest.mark.parametrize("encoding", ENCODERS)
def test_every_content_encoding_is_decoded(site: Site, new_egress: Callable[..., Egress], encoding: str) -> None:
    site.routes["/"] = text(ENCODERS[encoding](TEXT), Content_Encoding=encoding.upper())
    egress = new_egress(limits=Limits())
    with egress.stream(site.url()) as response:
        chunks = list(response.iter_bytes())
    assert b"".join(chunks) == TEXT
    assert max(map(len, chunks)) <= CHUNK_BYTES


@given(data=st.binary(max_size=3000), encoding=st.sampled_from(sorted(ENCODERS)), cut=st.integers(1, 50))
def test_decoding_does_not_depend_on_chunk_boundaries(data: bytes, encoding: str, cut: int) -> None:
    encoded = ENCODERS[encoding](data)
    assert decode(encoding, *(encoded[at : at + cut] for at in range(0, len(encoded), cut))) == data


@pytest.mark.parametrize("first", ENCODERS)
@pytest.mark.parametrize("second", ENCODERS)
def test_two_layers(first: str, second: str) -> None:
    assert decode(f"{first}, identity, {second}", ENCODERS[second](ENCODERS[first](TEXT))) == TEXT


def test_unusual_but_valid_encodings() -> None:
    assert decode("deflate", raw_deflate(TEXT)) == TEXT
    assert decode("gzip", gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"
    assert decode("gzip", gzip.compress(b"one") + bytes(50)) == b"one"
    assert decode("zstd", zstd.compress(b"one ") + zstd.compress(b"two")) == b"one two"
    for encoding in (*ENCODERS, "", "identity"):
        assert decode(encoding) == b""
        assert decode(encoding, b"") == b""


@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_truncated_body_is_an_error(encoding: str) -> None:
    encoded = ENCODERS[encoding](TEXT)
    for length in (1, len(encoded) // 2, len(encoded) - 1):
        with pytest.raises(ConnectionFailedError) as failed:
            decode(encoding, encoded[:length])
        assert failed.value.retryable


@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_damaged_body_is_an_error(site: Site, egress: Egress, encoding: str) -> None:
    site.routes["/"] = text(b"\xfe\xfd this is not compressed at all", Content_Encoding=encoding)
    with pytest.raises(ConnectionFailedError):
        egress.fetch(site.url())


@pytest.mark.parametrize("encoding", ["compress", "aes128gcm", "gzip, sdch", "gzip, gzip, gzip, gzip", "br;q=1"])
def test_an_unsupported_encoding_is_an_error(site: Site, egress: Egress, encoding: str) -> None:
    site.routes["/"] = text(b"x", Content_Encoding=encoding)
    with pytest.raises(ConnectionFailedError, match="not supported") as failed:
        egress.fetch(site.url())
    assert not failed.value.retryable


def test_the_limit_is_exact_and_counts_decoded_bytes(site: Site, egress: Egress) -> None:
    site.routes["/"] = text(gzip.compress(TEXT), Content_Encoding="gzip")
    assert len(egress.fetch(site.url(), limits=Limits(max_bytes=len(TEXT))).body) == len(TEXT)
    with pytest.raises(MaxBytesError) as failed:
        egress.fetch(site.url(), limits=Limits(max_bytes=len(TEXT) - 1))
    assert (failed.value.code, failed.value.retryable) == ("max_bytes_exceeded", False)


def test_a_length_beyond_the_limit_is_refused_before_the_body(site: Site, egress: Egress) -> None:
    def announce_a_terabyte(handler: SiteHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        handler.rfile.read(1)

    site.routes["/"] = announce_a_terabyte
    with pytest.raises(MaxBytesError):
        egress.fetch(site.url())


def test_padding_that_decodes_to_nothing_is_counted_too(site: Site, egress: Egress) -> None:
    """A skippable frame of zstd is received and decodes to nothing."""
    skipped = b"\x50\x2a\x4d\x18" + (60_000).to_bytes(4, "little") + bytes(60_000)

    def pad(handler: SiteHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Encoding", "zstd")
        handler.send_header("Connection", "close")
        handler.end_headers()
        while True:
            handler.wfile.write(skipped)

    site.routes["/"] = pad
    with pytest.raises(MaxBytesError):
        egress.fetch(site.url())


def gzip_bomb() -> bytes:
    compressor = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    head = compressor.compress(MEBIBYTE) + compressor.flush(zlib.Z_FULL_FLUSH)
    # After a full flush the next block is independent, so one is compressed and repeated.
    again = compressor.compress(MEBIBYTE) + compressor.flush(zlib.Z_FULL_FLUSH)
    return head + again * (GIBIBYTE - 1)


def brotli_bomb() -> bytes:
    compressor = brotli.Compressor(quality=3, lgwin=22)
    return bytes(b"".join(compressor.process(MEBIBYTE) for _ in range(GIBIBYTE)) + compressor.finish())


def zstd_bomb() -> bytes:
    compressor = zstd.ZstdCompressor(level=1)
    return b"".join(compressor.compress(MEBIBYTE) for _ in range(GIBIBYTE)) + compressor.flush()


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


def test_bombs_of_a_gibibyte_are_errors_and_take_no_memory(site: Site) -> None:
    def endless(handler: SiteHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(GIBIBYTE):
            handler.wfile.write(MEBIBYTE)

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
