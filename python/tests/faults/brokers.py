"""Real Redis and RabbitMQ on free ports, each in a folder of its own, killed and started again at will."""

import os
import shutil
import signal
import socket
import subprocess
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil
import redis

from nexus.system.processes import all_processes
from tests.processes import eventually, reserve_port

REDIS = "redis-server"
RABBIT = "/usr/lib/rabbitmq/bin/rabbitmq-server"  # the one in sbin changes the account and the folder


class Broker(ABC):
    """One server process; `start` after `kill` begins empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._reserved: list[socket.socket] = []
        self.port = self._reserve_port()
        self._process: subprocess.Popen[bytes] | None = None

    def _reserve_port(self) -> int:
        """One that stays ours while the broker is down."""
        self._reserved.append(reserve_port())
        return int(self._reserved[-1].getsockname()[1])

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def command(self) -> tuple[list[str], dict[str, str]]: ...

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o777)
        command, environment = self.command()
        log = (self.folder / "log").open("w")
        with log:
            self._process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, cwd=self.folder, start_new_session=True
            )
        eventually(self._is_up, "the broker accepts no connections")

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()
        return self.accepts()

    def accepts(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            return False

    def signal(self, number: int) -> None:
        assert self._process is not None
        for process in [psutil.Process(self._process.pid), *psutil.Process(self._process.pid).children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):  # one of its passing children
                process.send_signal(number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._process and self._process.poll() is None:
            self.signal(signal.SIGKILL)
            self._process.wait()

    def close(self) -> None:
        self.kill()
        for reserved in self._reserved:
            reserved.close()


class Redis(Broker):
    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def length(self, queue: str) -> int:
        with redis.Redis.from_url(self.url) as client:
            return int(client.llen(queue))

    def command(self) -> tuple[list[str], dict[str, str]]:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        return [REDIS, *options], {"PATH": os.environ["PATH"]}


class RabbitMq(Broker):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._names_port = str(self._reserve_port())
        self._distribution_port = str(self._reserve_port())

    def kill(self) -> None:
        """Its name server too, which Erlang starts beside it and forgets."""
        super().kill()
        for process in all_processes():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                if process.name() == "epmd" and process.environ().get("ERL_EPMD_PORT") == self._names_port:
                    process.kill()

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def command(self) -> tuple[list[str], dict[str, str]]:
        return [RABBIT], {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "RABBITMQ_NODENAME": f"nexus{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": self._distribution_port,
            "ERL_EPMD_PORT": self._names_port,
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1",
        }
