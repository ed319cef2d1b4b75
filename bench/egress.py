"""What egress costs beside a bare client, and how far past its deadline a hostile site can get, as JSON.

    python -m bench.egress [--requests N] [--json FILE]

Both clients ask the same loopback server by turns in one run: read the ratios, not the milliseconds.
"""

import argparse
import asyncio
import gzip
import json
import multiprocessing
import random
import resource
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import brotli
import httpx2

from nexus.errors import EgressError
from nexus.web.egress import Egress, Limits
from nexus.web.public_address import AllowList

PAGE = "".join(f"<p>Paragraph {number} {random.Random(number).random()}</p>" for number in range(25_000)).encode()
BODIES = {
    "/small": ("identity", b"hello"),
    "/page": ("identity", PAGE),
    "/page-gzip": ("gzip", gzip.compress(PAGE)),
    "/page-br": ("br", brotli.compress(PAGE, quality=5)),
}
BOMB = brotli.compress(bytes(1 << 28), quality=3)
DEADLINE = 1.0


async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            if path in ("/silent", "/headers", "/body"):
                await play_for_time(path, writer)
            encoding, body = ("br", BOMB) if path == "/bomb" else BODIES[path.removesuffix("?new")]
            closing = "Connection: close\r\n" if path.endswith("?new") else ""
            lines = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n{closing}Content-Length: {len(body)}\r\n\r\n"
            writer.write(lines.encode() + body)
            await writer.drain()
            if closing:
                break
    writer.close()


async def play_for_time(path: str, writer: asyncio.StreamWriter) -> None:
    writer.write({"/silent": b"", "/headers": b"HTTP/1.1 200 OK\r\nX: ", "/body": b"HTTP/1.1 200 OK\r\n\r\n"}[path])
    while True:
        await asyncio.sleep(0.1)
        if path != "/silent":
            writer.write(b"x")
            await writer.drain()


def serve(ready: Connection) -> None:
    async def run() -> None:
        server = await asyncio.start_server(respond, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def compare(url: str, requests: int, bare: httpx2.Client, egress: Egress) -> dict[str, float]:
    clients: dict[str, Callable[[str], object]] = {"bare": lambda url: bare.get(url).content, "egress": egress.fetch}
    times: dict[str, list[float]] = {name: [] for name in clients}
    for round_number in range(requests + 5):
        for name, ask in clients.items():
            started = time.perf_counter()
            ask(url)
            if round_number >= 5:  # noqa: PLR2004  (warm by then)
                times[name].append((time.perf_counter() - started) * 1000)
    medians = {f"{name}_ms": round(statistics.median(found), 3) for name, found in times.items()}
    return medians | {"egress_to_bare": round(medians["egress_ms"] / medians["bare_ms"], 2)}


def overrun(url: str, egress: Egress) -> float:
    started = time.perf_counter()
    try:
        egress.fetch(url, limits=Limits(total_seconds=DEADLINE))
    except EgressError as error:
        if error.code != "timeout":
            raise
    return round(time.perf_counter() - started - DEADLINE, 3)


def bomb_memory(url: str, egress: Egress) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        egress.fetch(url)
    except EgressError as error:
        if error.code != "max_bytes_exceeded":
            raise
    return round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, 1)


def measure(origin: str, requests: int) -> dict[str, object]:
    allow = AllowList.parse(["127.0.0.1"])
    with httpx2.Client(trust_env=False) as bare, Egress(allow=allow, user_agent="bench") as egress:
        bomb = bomb_memory(origin + "/bomb", egress)
        paths = [path for body in BODIES for path in (body, body + "?new")]
        return {
            "requests_each": requests,
            "page_bytes": len(PAGE),
            "beside_a_bare_client": {path: compare(origin + path, requests, bare, egress) for path in paths},
            "seconds_past_the_deadline": {
                path: overrun(origin + path, egress) for path in ("/silent", "/headers", "/body")
            },
            "mebibytes_for_a_bomb_of_256": bomb,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    try:
        figures = json.dumps(measure(f"http://127.0.0.1:{ours.recv()}", arguments.requests), indent=1)
    finally:
        server.terminate()
        server.join()
    print(figures)
    if arguments.json:
        arguments.json.write_text(figures + "\n")


if __name__ == "__main__":
    main()
