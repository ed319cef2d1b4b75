"""An event stream as a browser reads it: in a thread of its own, for as long as the block lasts."""

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID, uuid4

import httpx2

from tests.api.saving import as_user, save
from tests.processes import TRUSTS_NOBODY, WAIT_SECONDS

ENDED = ("ended", None)


class Stream:
    def __init__(self, client: httpx2.Client, user: UUID) -> None:
        self._client, self._user = client, user
        self.heard: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.response: httpx2.Response | None = None
        self.opened = threading.Event()

    def next(self) -> tuple[str, Any]:
        return self.heard.get(timeout=WAIT_SECONDS)

    def nothing_more(self) -> None:
        """The next events are those of two saves that are made for it, the second after the event of the first.

        Changes that the server reads together are sent in any order: what comes after the first may be older than it.
        """
        saved: list[str] = []
        for _ in range(2):
            saved.append(save(self._client, self._user, pasted_text=f"Saved to be heard of: {uuid4()}"))
            heard = None
            while heard != saved[-1]:
                name, event = self.next()
                if name != "comment":
                    heard = event.get("item_id")
                    assert heard in saved, (name, event)


@contextmanager
def listening(url: str, user: UUID, **headers: str) -> Iterator[Stream]:
    with httpx2.Client(base_url=url, timeout=WAIT_SECONDS, verify=TRUSTS_NOBODY) as client:
        stream = Stream(client, user)

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
            assert stream.opened.wait(WAIT_SECONDS)
            yield stream
        finally:
            if stream.response is not None:
                _hang_up(stream.response)
            reader.join(WAIT_SECONDS)
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
