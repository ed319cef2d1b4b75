"""Unknown clients cannot exhaust the server: real sockets against a real `nexus serve`."""

import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2
import psutil
import pytest

from tests.processes import TRUSTS_NOBODY, WAIT_SECONDS, Nexus, ServerProcess, eventually

OPEN_FILES = 512  # leaves room for 256 connections
FLOOD = 500
HEAD = "POST /items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNK = b"x" * 1_000_000
SLOW_SECONDS = 0.7


@pytest.fixture(scope="module")
def server(nexus_of_module: Nexus) -> ServerProcess:
    return nexus_of_module.serve("--no-worker")


@pytest.fixture(scope="module")
def impatient(nexus_of_module: Nexus) -> ServerProcess:
    """Waits a second for what bounds a request."""
    return nexus_of_module.serve("--no-worker", NEXUS_REQUEST_SECONDS="1")


@contextmanager
def few_open_files() -> Iterator[None]:
    """For children; what this process holds already stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect(server: ServerProcess) -> socket.socket:
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def send_what_it_takes(client: socket.socket, data: bytes) -> bool:
    """False once the server has ended the connection."""
    try:
        client.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def response_on(client: socket.socket) -> tuple[int, dict[str, Any]]:
    """Everything until the server ends the connection: the status, and what the body says of the error."""
    received = bytearray()
    while chunk := client.recv(65536):
        received += chunk
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    detail: dict[str, Any] = json.loads(body)["detail"]
    assert f"x-request-id: {detail['request_id']}".encode() in head
    return int(head.split()[1]), detail


def is_ended(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.fixture(scope="module")
def crowded(nexus_of_module: Nexus) -> ServerProcess:
    with few_open_files():
        return nexus_of_module.serve("--no-worker")


@pytest.mark.parametrize(
    "half_sent",
    [b"", b"GET /health HTTP/1.1\r\nHost: local", (HEAD + "Content-Length: 100\r\n\r\n{").encode()],
    ids=["idle", "half a head", "half a body"],
)
def test_the_server_answers_while_connections_pile_up(crowded: ServerProcess, half_sent: bytes) -> None:
    server, logged = crowded, len(crowded.log.read_text())
    process = psutil.Process(server.process.pid)
    with ExitStack() as flood, httpx2.Client(base_url=server.url, timeout=60, verify=TRUSTS_NOBODY) as reader:
        with reader.stream("GET", "/api/events") as events:
            assert events.status_code == 200
            for number in range(FLOOD):
                client = flood.enter_context(connect(server))
                send_what_it_takes(client, half_sent)
                if number % 100 == 0:
                    assert server.get("/health").json() == {"status": "ok"}
            assert server.get("/health").json() == {"status": "ok"}
            assert process.num_fds() < OPEN_FILES
            saved = httpx2.post(f"{server.url}/items", json={"pasted_text": "Kept."}, timeout=60, verify=TRUSTS_NOBODY)
            assert saved.status_code == 200
            # Nobody ends a stream that is being answered to make room.
            assert any(saved.json()["id"] in line for line in events.iter_lines())
        eventually(lambda: "too many connections" in server.log.read_text()[logged:], "nothing in the log")
    lines = [line for line in server.log.read_text()[logged:].splitlines() if "connections were closed" in line]
    assert len(lines) < FLOOD / 10, "a line for each of them"


def test_an_endless_header_is_refused_early(server: ServerProcess) -> None:
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    for beginning in (
        b"GET / HTTP/1.1\r\nX-Long: ",
        b"GET /",
        (HEAD + "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Late: ").encode(),
    ):
        with connect(server) as client:
            sent = send_what_it_takes(client, beginning)
            for _ in range(300):
                sent = sent and send_what_it_takes(client, CHUNK)
            assert not sent, "it took 300 MB"
    assert process.memory_info().rss - before < 50_000_000
    assert server.get("/health").status_code == 200


def test_the_size_and_number_of_headers(server: ServerProcess) -> None:
    many = {f"X-{number}": "x" for number in range(90)}
    assert server.get("/health", headers=many).status_code == 200
    assert server.get("/health", headers={"X-Long": "x" * 60_000}).status_code == 200
    too_many = "GET /health HTTP/1.1\r\nHost: localhost\r\n" + "".join(f"X-{n}: x\r\n" for n in range(101)) + "\r\n"
    too_long = f"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: {'x' * 70_000}\r\n\r\n"
    for request in (too_many, too_long):
        with connect(server) as client:
            client.sendall(request.encode())
            status, detail = response_on(client)
            assert (status, detail["error"]) == (431, "headers_too_large")


def test_bytes_that_are_no_request_get_the_usual_error_body(server: ServerProcess) -> None:
    with connect(server) as client:
        client.sendall(b"\x16\x03\x01 this is TLS, or something else\r\n\r\n")
        status, detail = response_on(client)
    assert (status, detail["error"]) == (400, "malformed_request")


def test_a_bad_target_is_not_the_response_to_the_request_before(server: ServerProcess) -> None:
    body = json.dumps({"pasted_text": "Sent before the bad one."})
    bad = "GET http://a:99999/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(server) as client:
        # In one segment: the second head is read while the first request waits for its answer.
        client.sendall(f"{HEAD}Content-Length: {len(body)}\r\n\r\n{body}{bad}".encode())
        assert is_ended(client), "an answer to the first request that is not its own"
    with connect(server) as client:
        client.sendall(bad.encode())
        status, detail = response_on(client)
    assert (status, detail["error"]) == (400, "malformed_request")


def test_an_answered_request_gets_no_second_answer(server: ServerProcess) -> None:
    with connect(server) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: elsewhere.example\r\nTransfer-Encoding: chunked\r\n\r\n")
        response = b""
        while not response.endswith(b"}}"):
            piece = client.recv(65536)
            assert piece, response
            response += piece
        assert b" 400 " in response
        client.sendall(b"this is no chunk\r\n")
        assert is_ended(client), "a second answer to one request"


def test_what_comes_behind_a_body_is_no_header(server: ServerProcess) -> None:
    request = HEAD + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Request-Id: from-a-trailer\r\n\r\n"
    with connect(server) as client:
        client.sendall(request.encode())
        status, detail = response_on(client)
    assert status == 422
    assert detail["request_id"] != "from-a-trailer"


def test_requests_that_do_not_come_are_ended(nexus_on_copy: Nexus) -> None:
    """With time to send the half of a head: until then, a connection is an idle one, which gets no answer."""
    server = nexus_on_copy.serve("--no-worker", NEXUS_REQUEST_SECONDS="5")
    logged = len(server.log.read_text())
    body = (HEAD + "Content-Length: 1000\r\n\r\n{").encode()
    with connect(server) as idle, connect(server) as head, connect(server) as half, connect(server) as again:
        head.sendall(b"GET /health HTTP/1.1\r\nHost: local")
        half.sendall(body)
        again.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in again.recv(65536)
        assert again.send(b"\r\n"), "which begins the next request"
        assert is_ended(idle)
        assert response_on(head)[1]["error"] == "request_timeout"
        assert response_on(half)[0] == 408
        assert b" 408 " in again.recv(65536)
    eventually(lambda: "request not sent in time" in server.log.read_text()[logged:], "nothing in the log")


@pytest.mark.parametrize(
    "beginning", [b"GET /health HTTP/1.1\r\nX-Slow: ", (HEAD + "Content-Length: 99999\r\n\r\n").encode()]
)
def test_a_byte_now_and_then_is_not_enough(impatient: ServerProcess, beginning: bytes) -> None:
    with connect(impatient) as client:
        client.sendall(beginning)
        client.settimeout(0.1)
        give_up = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < give_up:
            if not send_what_it_takes(client, b"x"):
                return
            try:
                if is_ended(client) or b"408" in client.recv(65536):
                    return
            except TimeoutError:
                continue  # nothing to read yet: send the next byte
    pytest.fail("the connection was not ended")


def test_a_slow_upload_arrives(nexus_on_copy: Nexus) -> None:
    """Longer than the time for a head and than the stretch over which the rate of a body is measured."""
    server = nexus_on_copy.serve("--no-worker", NEXUS_REQUEST_SECONDS="3")
    body = json.dumps({"pasted_text": "word " * 20_000}).encode()
    chunks = [body[start : start + 5_000] for start in range(0, len(body), 5_000)]
    assert len(chunks) * SLOW_SECONDS > 3 * 3
    with connect(server) as client:
        client.sendall((HEAD + f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n").encode())
        for chunk in chunks:
            client.sendall(chunk)
            time.sleep(SLOW_SECONDS)  # the slow link that is the subject
        assert b"200 OK" in client.recv(65536)


def test_a_quiet_event_stream_stays_open(impatient: ServerProcess) -> None:
    """Its first comment comes after 15 seconds, longer than each of the times that are bounded here."""
    with httpx2.stream("GET", f"{impatient.url}/api/events", timeout=WAIT_SECONDS, verify=TRUSTS_NOBODY) as events:
        assert ": still here" in events.iter_lines()


def asks_and_does_not_read(server: ServerProcess) -> socket.socket:
    """More answers than the buffers on the way hold."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    client.connect((host, int(port)))
    client.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
    return client


def test_unread_responses_make_room(nexus_on_copy: Nexus) -> None:
    server = nexus_on_copy.serve("--no-worker", NEXUS_MAX_CONNECTIONS="10")
    with ExitStack() as unread:
        for _ in range(10):
            unread.enter_context(asks_and_does_not_read(server))
        eventually(lambda: server.get("/health").status_code == 200, "unread responses keep others out")


def test_unread_responses_are_ended(impatient: ServerProcess) -> None:
    server, logged = impatient, len(impatient.log.read_text())
    with asks_and_does_not_read(server):
        eventually(lambda: "response not read" in server.log.read_text()[logged:], "the connection was not ended")


def hold_large_bodies(server: ServerProcess, stack: ExitStack, count: int, size: int) -> list[socket.socket]:
    """Connections that have each sent this much of a larger body, all of it taken by the server."""
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    head = (HEAD + "Content-Length: 64000000\r\n\r\n").encode()
    clients = [stack.enter_context(connect(server)) for _ in range(count)]
    for client in clients:
        client.sendall(head)
        for sent in range(0, size, len(CHUNK)):
            client.sendall(CHUNK[: size - sent])
    enough = count * size - 2_000_000
    eventually(lambda: process.memory_info().rss - before > enough, "the server did not take what was sent")
    return clients


def save_of(size: int) -> bytes:
    """One that is taken: what is too much of it is white space before the JSON."""
    return json.dumps({"pasted_text": "A large save."}).encode().rjust(size)


@pytest.mark.parametrize(("count", "size"), [(64, 2_000_000), (2, 63_000_000)], ids=["many", "huge"])
def test_slow_large_bodies_keep_nobody_out(nexus_on_copy: Nexus, count: int, size: int) -> None:
    # So that none of them is ended for its slowness, however long this machine takes.
    server = nexus_on_copy.serve("--no-worker", NEXUS_MAX_BODY_BYTES="64000000", NEXUS_REQUEST_SECONDS="300")
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    content, json_type = save_of(12_000_000), {"Content-Type": "application/json"}
    with ExitStack() as stack:
        slow = hold_large_bodies(server, stack, count, size)
        for _ in range(3):
            saved = httpx2.post(
                f"{server.url}/items", content=content, headers=json_type, timeout=60, verify=TRUSTS_NOBODY
            )
            assert saved.status_code == 200, saved.text
        assert process.memory_info().rss - before < 250_000_000
        # The one that had sent nothing for longest is told why, once it has sent the rest.
        for _ in range(size, 64_000_000, len(CHUNK)):
            slow[0].sendall(CHUNK)
        response = slow[0].recv(65536)
        assert b" 503 " in response
        assert b"retry-after" in response.lower()
        assert server.get("/health").status_code == 200


def test_a_large_body_must_come_faster(impatient: ServerProcess) -> None:
    """At 1 000 bytes a second, which is enough for a small one."""
    with connect(impatient) as client:
        client.sendall((HEAD + "Content-Length: 1000000\r\n\r\n").encode() + CHUNK[:100_000])
        client.settimeout(0.1)
        give_up = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < give_up:
            try:
                response = client.recv(65536)
            except TimeoutError:
                client.sendall(b"x" * 100)
                continue
            assert b" 408 " in response
            return
    pytest.fail("the connection was not ended")
