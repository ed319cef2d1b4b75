"""An event stream as a browser reads it: in a thread of its own, for as long as the block lasts."""

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID

import httpx2

from tests.api.saving import as_user
from tests.processes import TRUSTS_NOBODY

ENDED = ("ended", None)
SECONDS = 60


class Stream:
    def __init__(self) -> None:
        self.heard: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.response: httpx2.Response | None = None
        self.opened = threading.Event()

    def next(self) -> tuple[str, Any]:
        return self.heard.get(timeout=SECONDS)

    def nothing_more_than(self, *expected: tuple[str, Any]) -> None:
        assert [self.heard.get_nowait() for _ in range(self.heard.qsize())] == list(expected)


@contextmanager
def listening(url: str, user: UUID, **headers: str) -> Iterator[Stream]:
    stream = Stream()
    with httpx2.Client(base_url=url, timeout=SECONDS, verify=TRUSTS_NOBODY) as client:

        def read() -> None:
            asked = client.stream("GET", "/api/events", headers=as_user(user) | headers)
            with suppress(httpx2.HTTPError), asked as got:
                stream.response = got
                _follow(got, stream)
            stream.opened.set()
            stream.heard.put(ENDED)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            assert stream.opened.wait(SECONDS)
            yield stream
        finally:
            if stream.response is not None:
                _hang_up(stream.response)
            reader.join(SECONDS)
            assert not reader.is_alive()


def _follow(response: httpx2.Response, stream: Stream) -> None:
    event = ""
    for line in response.iter_lines():
        if line == "retry: 2000":
            stream.opened.set()
        elif line.startswith("event: "):
            event = line.removeprefix("event: ")
        elif line.startswith("data: "):
            stream.heard.put((event, json.loads(line.removeprefix("data: "))))
        elif line.startswith(":"):
            stream.heard.put(("comment", None))


def _hang_up(response: httpx2.Response) -> None:
    """As a browser does when its tab is closed: the connection is simply gone."""
    connection = response.extensions["network_stream"].get_extra_info("socket")
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(2)
