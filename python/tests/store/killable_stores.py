"""Stores that become absent and return while a library is used."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import httpx2
from moto.server import ThreadedMotoServer

from tests.processes import TRUSTS_NOBODY, eventually, reserve_port

FORWARDER = Path(__file__).with_name("forwarder.py")


class KillableStore(Protocol):
    environment: dict[str, str]

    def go_away(self, seconds: float) -> None:
        """Makes the store absent for so long, in the middle of any write."""


class Folder:
    """A disk that is unmounted: its folder is renamed, and an empty one stands in its place."""

    def __init__(self, data_dir: Path) -> None:
        self._root = data_dir / "blobs"
        self.environment: dict[str, str] = {}

    def go_away(self, seconds: float) -> None:
        away = self._root.with_name("unmounted")
        with suppress(FileNotFoundError):  # nothing was stored yet
            self._root.rename(away)
            time.sleep(seconds)
            # Nobody may have begun a new store there.
            assert not self._root.exists(), "a new store was created while the real one was not mounted"
            away.rename(self._root)


class Bucket:
    """Killed with -9: connections break in the middle of uploads, and nobody listens until it is started again."""

    def __init__(self, target: int) -> None:
        self._reserved = reserve_port()
        self._port = self._reserved.getsockname()[1]
        self._target = target
        bucket = f"library-{uuid4().hex}"
        with httpx2.Client(base_url=f"http://127.0.0.1:{target}", timeout=60, verify=TRUSTS_NOBODY) as http:
            http.put(f"/{bucket}").raise_for_status()
        self.environment = {
            "NEXUS_STORE": f"s3://{bucket}/prefix",
            "NEXUS_STORE_ENDPOINT": f"http://127.0.0.1:{self._port}",
            "NEXUS_STORE_REGION": "us-east-1",
            "NEXUS_STORE_ACCESS_KEY_ID": "test",
            "NEXUS_STORE_SECRET_ACCESS_KEY": "test",
        }
        self._process = self._start()

    def go_away(self, seconds: float) -> None:
        self.kill()
        time.sleep(seconds)
        self._process = self._start()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        self._reserved.close()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, str(FORWARDER), str(self._port), str(self._target)])
        eventually(self._accepts, "the S3 server does not start")
        return process

    def _accepts(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
            return True
        return False


@contextmanager
def killable_store(kind: str, data_dir: Path) -> Iterator[KillableStore]:
    if kind == "folder":
        yield Folder(data_dir)
        return
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    bucket = Bucket(server.get_host_and_port()[1])
    try:
        yield bucket
    finally:
        bucket.close()
        server.stop()
