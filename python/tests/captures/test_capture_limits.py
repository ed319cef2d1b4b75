"""Large and hostile bodies: refused early, in bounded memory, without weakening the limits of other routes."""

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest
from starlette.datastructures import Headers

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.errors import BodyTooLargeError, MalformedRequestError, ServerBusyError
from nexus.routes.captures.request_body import read_body
from nexus.services.captures.reader import MAX_CAPTURES, CaptureReader
from tests.api.test_errors import problem
from tests.captures.capturing import PAGE, page
from tests.conftest import serving, settings_for

LIMIT = 60_000
JSON = {"Content-Type": "application/json"}
GZIP = JSON | {"Content-Encoding": "gzip"}


@pytest.fixture(scope="module")
def small_server(postgres: EmbeddedServer, shared_database: Database, database_name: str) -> Iterator[httpx2.Client]:
    settings = settings_for(postgres, database_name, capture_max_bytes=LIMIT, max_body_bytes=10_000)
    with serving(create_app(settings, shared_database)) as url, httpx2.Client(base_url=url, timeout=60) as http:
        yield http


def body(size: int) -> bytes:
    """A JSON body of so many bytes."""
    start = json.dumps({"url": PAGE, "html": page(), "note": ""})[:-2]
    return start.encode() + b"x" * (size - len(start) - 2) + b'"}'


def test_the_limit_is_this_routes_own(small_server: httpx2.Client, database: Database) -> None:
    fits, over = body(10_900), b'{"pasted_text": "' + b"x" * 10_900 + b'"}'
    assert small_server.post("/api/captures", content=fits, headers=JSON).status_code == 201
    for path in ("/items", "/api/tags", "/api/captures/", "/api/pairings/exchange"):
        problem(small_server.post(path, content=over, headers=JSON), 413, "body_too_large")
    problem(small_server.post("/api/captures", content=body(LIMIT + 1), headers=JSON), 413, "body_too_large")


def test_a_decompressed_body_has_the_same_limit(small_server: httpx2.Client, database: Database) -> None:
    over = json.dumps({"url": PAGE, "html": "<p>word </p>" * LIMIT}).encode()
    assert len(gzip.compress(over)) < LIMIT
    problem(small_server.post("/api/captures", content=gzip.compress(over), headers=GZIP), 413, "body_too_large")


def test_a_bomb_is_never_decompressed() -> None:
    """A gigabyte of zeros is a megabyte of gzip. No more than the limit is decompressed."""
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(100)), packer.flush()])
    with pytest.raises(BodyTooLargeError):
        read_body(bomb, Headers(GZIP), LIMIT)
    with pytest.raises(MalformedRequestError):
        read_body(gzip.compress(b"{}") * 2, Headers(GZIP), LIMIT)


def test_the_head_of_a_part_is_short() -> None:
    """Headers are read into objects of their own: twenty megabytes of them would take more than a gigabyte."""
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    heads = b'Content-Disposition: form-data; name="html"\r\n' + b"a:b\r\n" * 100_000
    for end in (b"\r\nwords", b""):
        form_of_heads = b"--x\r\n" + heads + end + b"\r\n--x--"
        tracemalloc.start()
        try:
            with pytest.raises(MalformedRequestError, match="cannot be read"):
                read_body(form_of_heads, Headers(form), 20_000_000)
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


def test_only_a_few_at_a_time() -> None:
    reader = CaptureReader(max_original=0)
    with ExitStack() as stack:
        for _ in range(MAX_CAPTURES):
            stack.enter_context(reader.slot())
        with pytest.raises(ServerBusyError), reader.slot():
            pass
    with reader.slot():
        pass
    reader.close()


def test_a_page_that_nests_too_deeply(client: httpx2.Client) -> None:
    deep = "<div>" * 20_000 + "Words at the bottom." + "</div>" * 20_000
    response = client.post("/api/captures", json={"url": PAGE, "html": deep})
    assert response.status_code == 201 or response.json()["detail"]["error"] == "unreadable_capture", response.text
