"""Whose requests count as this machine's, as far as the server that runs the application tells."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from nexus.http.local_only import LocalOnlyGuard

Client = tuple[str, int] | None


def status_for(client: Client, headers: dict[str, str]) -> int:
    """The status of a request through the guard, behind which an application answers 200."""
    sent: list[Message] = []

    async def application(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": raw, "client": client}
    asyncio.run(LocalOnlyGuard(application)(scope, receive, send))
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize(
    ("client", "status"),
    [
        (("127.0.0.1", 5), 200),
        (("127.8.9.1", 5), 200),
        (("::1", 5), 200),
        (("::ffff:127.0.0.1", 5), 200),
        (None, 200),  # a unix socket
        (("192.168.1.7", 5), 403),
        (("::ffff:192.168.1.7", 5), 403),
        (("fe80::1%eth0", 5), 403),
        (("", 0), 403),
        (("testclient", 5), 403),
    ],
)
def test_peers(client: Client, status: int) -> None:
    assert status_for(client, {}) == status


@pytest.mark.parametrize("client", [("127.0.0.1", 5), ("::1", 5), None])
@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
@pytest.mark.parametrize("value", ["203.0.113.5", "127.0.0.1", ""])
def test_what_a_proxy_passes_on_is_not_this_machines(client: Client, header: str, value: str) -> None:
    assert status_for(client, {header: value}) == 403
