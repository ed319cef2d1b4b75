"""Real Nexus processes for tests: started, really killed, and all ended by their ids."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import httpx2
import psutil
import pytest
from sqlalchemy import URL, make_url

from nexus.cli import main
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.system.processes import all_processes

# For clients of servers on loopback: without it each one loads all certificate authorities first (36 ms).
TRUSTS_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
# Generous, because the machine may be busy; what does not happen at all fails a test this much later.
WAIT_SECONDS = 300.0
MIN_PAUSE, MAX_PAUSE = 0.02, 0.5
COMMAND = [sys.executable, "-P", "-m", "nexus.cli"]


@dataclass
class ServerProcess:
    process: subprocess.Popen[str]
    url: str
    log: Path

    def get(self, path: str, **options: object) -> httpx2.Response:
        return httpx2.get(self.url + path, timeout=60, verify=TRUSTS_NOBODY, **options)  # type: ignore[arg-type]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        self.process.terminate()
        return self.process.wait(WAIT_SECONDS)


@dataclass
class Nexus:
    data_dir: Path
    environment: dict[str, str] = field(default_factory=dict)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments], env=self._environment(environment), capture_output=True, text=True, check=False
        )

    def invoke(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs it in this process, which saves a second and a half: for tests of its output, not of its end."""
        out, err, command = StringIO(), StringIO(), ["nexus", *arguments]
        surroundings = patch.dict(os.environ, self._environment(environment), clear=True)
        with surroundings, patch.object(sys, "argv", command), redirect_stdout(out), redirect_stderr(err):
            try:
                with pytest.raises(SystemExit) as end:
                    main()
            finally:
                configure_logging("INFO", "text")
        return subprocess.CompletedProcess(command, int(end.value.code or 0), out.getvalue(), err.getvalue())

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        log = (self.data_dir / "process.log").open("a")
        with log:
            process = subprocess.Popen(
                [*COMMAND, *arguments],
                env=self._environment(environment),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.started.append(process)
        return process

    def serve(self, *arguments: str, **environment: str) -> ServerProcess:
        process = self.start("serve", "--port", "0", *arguments, **environment)
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        log = self.data_dir / "process.log"
        assert found, f"no address in {line!r}; {log.read_text()}"
        return ServerProcess(process, found.group(0), log)

    def processes(self) -> list[psutil.Process]:
        """Every process of this data directory: server, worker, supervisor, PostgreSQL."""
        return self.matching("")

    def matching(self, pattern: str) -> list[psutil.Process]:
        here = str(self.data_dir)
        found = []
        for process in all_processes():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):  # it ended meanwhile
                command = " ".join(process.cmdline())
                if pattern in command and (here in command or process.cwd().startswith(here)):
                    found.append(process)
        return [process for process in found if process.pid != os.getpid()]

    def one(self, pattern: str) -> psutil.Process:
        """The process of this kind; not a child that it has just forked, which has its command line until exec."""
        found = [process for process in self.matching(pattern) if pattern not in _command_of_parent(process)]
        assert len(found) == 1, [process.pid for process in found]
        return found[0]

    def supervisor(self) -> psutil.Process:
        return self.one("nexus.db.supervisor")

    def worker(self) -> psutil.Process:
        return self.one("--stop-with-parent")

    def postmaster(self) -> psutil.Process:
        return self.one("/postgres -D")

    def gone(self) -> bool:
        return not self.processes()

    def _environment(self, extra: dict[str, str]) -> dict[str, str]:
        kept = {
            name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH", "LANG", "TMPDIR") if name in os.environ
        }
        return kept | {"NEXUS_DATA_DIR": str(self.data_dir)} | self.environment | extra


def _command_of_parent(process: psutil.Process) -> str:
    with suppress(psutil.NoSuchProcess):  # it ended meanwhile
        parent = process.parent()
        return " ".join(parent.cmdline()) if parent else ""
    return ""


def has_ended(pid: int) -> bool:
    """True for a zombie, too: a container may have no init process that waits for it."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


def kill(*processes: psutil.Process) -> None:
    """Kills all at once, so that none can react to the end of another."""
    for step in (psutil.Process.suspend, psutil.Process.kill):
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                step(process)


def kill_tree(process: psutil.Process) -> None:
    """Kills it with all processes that it started; stopped first, so that it starts no more meanwhile."""
    process.suspend()
    kill(*process.children(recursive=True), process)


def reserve_port() -> socket.socket:
    """Holds a free port of loopback for a server that is killed and started again, until it is closed.

    The kernel gives a port that is bound to no other socket, but lets one listen there that sets SO_REUSEADDR as well.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved


def plain_url(url: URL | str) -> str:
    """As PostgreSQL's own programs and psycopg take it, without the name of SQLAlchemy's driver."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def script_environment(database: Database, data_dir: Path) -> dict[str, str]:
    """For a script of the tests that uses this database and this folder."""
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "DATABASE_URL": plain_url(database.url),
        "NEXUS_DATA_DIR": str(data_dir),
    }  # fmt: skip


def count_kills(script: Path, *arguments: object, environment: dict[str, str]) -> int:
    """Runs a script that kills its children at one line after the other (`killed_at_lines.py`) and prints how many."""
    command = [sys.executable, str(script), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@contextmanager
def run_nexus(data_dir: Path, **environment: str) -> Iterator[Nexus]:
    """Without a browser unless asked for: to learn whether it has its sandbox, each worker starts it once (1.3 s)."""
    nexus = Nexus(data_dir, {"WORKER_RENDER": "never"} | environment)
    try:
        yield nexus
    finally:
        for process in nexus.started:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
            if process.stdout:
                process.stdout.close()
        _all_gone(nexus)


def _all_gone(nexus: Nexus) -> None:
    try:
        eventually(nexus.gone, "a process outlived its test")
    except AssertionError as error:
        left = nexus.processes()
        error.add_note("\n".join(str(process.as_dict(["pid", "ppid", "status", "cmdline"])) for process in left))
        kill(*left)
        raise


def eventually(condition: Callable[[], object], complaint: str, seconds: float = WAIT_SECONDS) -> None:
    """Waits until another process has done something.

    Requests and looks at all processes take 10 ms of processor and more: fifty a second would slow down what they wait
    for. With pauses nineteen times as long as asking took, they use at most a twentieth of a core.
    """
    give_up = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        if condition():
            return
        now = time.monotonic()
        assert now < give_up, complaint
        time.sleep(min(max(19 * (now - asked), MIN_PAUSE), MAX_PAUSE))
