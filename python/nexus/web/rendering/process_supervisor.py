"""Runs one command and ends everything that it started. Started as a script, without installed packages, by
process.py.

Chromium leaves its parent's process group and session, so no signal to a group reaches all of it. This process is
a sub-reaper: whatever a descendant does, it stays below us in the process tree, where it is found and killed. It
ends when the command ends or when the parent's end of `parent_pipe` is closed, which the kernel does for a parent
that was killed. If it is killed itself, the command gets the parent-death signal, and Chromium ends when node's pipe
does.
"""

import json
import os
import select
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[3]))  # last, so that nothing there replaces a module of the standard library

from nexus.system.descendants import become_subreaper, die_with_parent, end_children

SIGNALLED = 128


def main(options: dict[str, Any]) -> int:
    """`options`: `parent_pipe`, `lock`, `folder`, `command` and `account` (user and group id, or null for our own)."""
    parent_pipe = options["parent_pipe"]
    for fd in (parent_pipe, options["lock"]):
        os.set_inheritable(fd, False)
    become_subreaper()
    wake = _wake_on_child_or_term()
    child = _start(options["command"], options["account"])
    for fd in (0, 1, 2):  # they belong to the command; its end is not visible while we have them open
        _redirect_to_devnull(fd)
    code = _wait(child, parent_pipe, wake)
    end_children(0, _reap)
    shutil.rmtree(options["folder"], ignore_errors=True)
    return code


def _wake_on_child_or_term() -> int:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    return reading


def _start(command: list[str], account: list[int] | None) -> int:
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            if account:
                os.setgroups([])
                os.setgid(account[1])
                os.setuid(account[0])
            die_with_parent(parent)
            os.execv(command[0], command)  # noqa: S606 - a list, no shell
        except OSError as error:
            os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
        finally:
            os._exit(127)
    return child


def _redirect_to_devnull(fd: int) -> None:
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, fd)
    os.close(devnull)


def _wait(child: int, parent_pipe: int, wake: int) -> int:
    """The command's exit code, or that of a kill when we are told to end first."""
    poll = select.poll()
    poll.register(parent_pipe, select.POLLIN | select.POLLHUP)
    poll.register(wake, select.POLLIN)
    while True:
        ready = dict(poll.poll())
        if parent_pipe in ready or (wake in ready and signal.SIGTERM in os.read(wake, 4096)):
            return SIGNALLED + signal.SIGKILL
        for pid, code in _reap():
            if pid == child:
                return code if code >= 0 else SIGNALLED - code


def _reap() -> list[tuple[int, int]]:
    ended = []
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended.append((found[0], os.waitstatus_to_exitcode(found[1])))
    return ended


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
