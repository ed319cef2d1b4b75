"""How long it takes until the items of a killed worker are claimed again."""

import threading
import time
from pathlib import Path

import httpx2

from tests.egress.sites import Site, SiteHandler
from tests.loopback_server import running
from tests.processes import eventually, run_nexus


def seconds_until_reclaimed(folder: Path) -> float:
    """A worker of `nexus serve` with default settings is killed in the middle of a fetch; serve starts another."""
    visits: list[float] = []
    leave = threading.Event()

    def page(_: SiteHandler) -> None:
        visits.append(time.monotonic())
        leave.wait(300)

    folder.mkdir()
    folder.chmod(0o711)
    with running(Site("127.0.0.1")) as site, run_nexus(folder, NEXUS_ENV="test") as nexus:
        site.routes["/"] = page
        server = nexus.serve()
        httpx2.post(f"{server.url}/items", json={"url": site.url()}, timeout=30)
        eventually(lambda: len(visits) == 1, "the page was not fetched")
        killed = time.monotonic()
        nexus.worker().kill()
        eventually(lambda: len(visits) == 2, "no other worker took over")
        leave.set()
        return visits[1] - killed
