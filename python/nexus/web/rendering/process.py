"""A node process and its browser, in a folder of their own, below a supervisor that ends all their processes."""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from nexus.system.file_lock import FileLock
from nexus.system.unprivileged import Account
from nexus.web.rendering.folders import home_in, make_folder, remove_abandoned_folders, remove_folder

log = logging.getLogger(__name__)

SUPERVISOR = Path(__file__).with_name("process_supervisor.py")

END_SECONDS = 15
NODE_HEAP_MB = 256
# A page of 4 million characters and its title, which may be as long; each character at worst six bytes of JSON.
MAX_LINE = 64_000_000
MAX_STDERR = 1_000_000

# Nothing of our environment: a compromised browser finds no keys and no proxies there.
PLAIN_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}

Message = dict[str, Any]


class NodeProcess:
    """`on_message` and `on_end` are called from a reader thread."""

    def __init__(
        self,
        command: list[str],
        *,
        on_message: Callable[[Message], None],
        on_end: Callable[[str], None],
        account: Account | None,
    ) -> None:
        remove_abandoned_folders()
        self._folder, lock = make_folder(account)
        self._account = account
        self._on_message, self._on_end = on_message, on_end
        self._ending = threading.Lock()
        self._writing = threading.Lock()
        parent_pipe, self._parent_pipe = os.pipe()
        try:
            self._process = self._start(command, parent_pipe, lock)
        except BaseException:
            os.close(self._parent_pipe)
            remove_folder(self._folder)
            raise
        finally:
            os.close(parent_pipe)
            lock.release()
        self._stderr = _Tail(_piped(self._process.stderr))
        self._listener = threading.Thread(target=self._listen, name="node-stdout", daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Message, *, last: bool = False) -> None:
        stdin = _piped(self._process.stdin)
        with self._writing, suppress(BrokenPipeError, ValueError):  # the process has ended, which on_end reports
            stdin.write(json.dumps(message).encode() + b"\n")
            stdin.flush()
            if last:
                stdin.close()

    def end(self) -> None:
        """Kill the whole process tree; returns when none of it is left."""
        with self._ending:
            if self._parent_pipe >= 0:
                os.close(self._parent_pipe)
                self._parent_pipe = -1
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if threading.current_thread() is not self._listener:
            self._listener.join()
        remove_folder(self._folder)  # a supervisor that was killed leaves it behind, perhaps with Chromium in it

    def _start(self, command: list[str], parent_pipe: int, lock: FileLock) -> subprocess.Popen[bytes]:
        return start_supervisor(command, self._folder, self._account, parent_pipe, lock, stream=subprocess.PIPE)

    def _listen(self) -> None:
        try:
            self._read_messages()
        except Exception:
            log.exception("message of the browser's node process not handled")
        self.end()
        with self._writing, suppress(BrokenPipeError):
            _piped(self._process.stdin).close()
        self._on_end(self._stderr.finish())

    def _read_messages(self) -> None:
        with _piped(self._process.stdout) as stdout:
            while line := stdout.readline(MAX_LINE):
                try:
                    message = json.loads(line)
                except ValueError:
                    # Truncated, or longer than any page: the messages after it cannot be separated either.
                    log.warning("invalid line of %d bytes from the browser's node process", len(line))
                    return
                self._on_message(message)


def start_supervisor(
    command: list[str], folder: Path, account: Account | None, parent_pipe: int, lock: FileLock, *, stream: int
) -> subprocess.Popen[bytes]:
    home = str(home_in(folder))
    options = {
        "parent_pipe": parent_pipe,
        "lock": lock.fileno(),
        "folder": str(folder),
        "command": command,
        "account": [account.uid, account.gid] if account else None,
    }
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(SUPERVISOR), json.dumps(options)],
        stdin=stream, stdout=stream, stderr=stream,
        env=PLAIN_ENVIRONMENT | {"HOME": home, "TMPDIR": home, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
        cwd=home, pass_fds=(parent_pipe, lock.fileno()), start_new_session=True,
    )  # fmt: skip


class _Tail:
    """Reads a stream to its end and keeps only its last part, to bound memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""
        self._thread = threading.Thread(target=self._read, name="node-stderr", daemon=True)
        self._thread.start()

    def finish(self) -> str:
        self._thread.join()
        return self._kept.decode(errors="replace")

    def _read(self) -> None:
        with self._stream:
            while chunk := self._stream.read1(65536):  # type: ignore[attr-defined]
                self._kept = (self._kept + chunk)[-MAX_STDERR:]


def _piped(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "every stream of the node process is a pipe"  # noqa: S101
    return stream
