"""Runs one command and takes everything that came of it down with it. Started as a script, with the standard
library alone, by process.py.

Chromium leaves its parent's process group and session, so no signal to a group reaches all of it. This process is
a sub-reaper: whatever a descendant does, it stays below us in the process tree, where it is found and killed. It
ends when the command ends or when the other end of the lifeline is closed, which the kernel does for a parent that
was killed. If it is killed itself, the command gets the parent-death signal, and Chromium ends when node's pipe does.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SIGNALLED = 128

prctl = ctypes.CDLL(None, use_errno=True).prctl


def main(order: dict[str, Any]) -> int:
    """It says `lifeline`, `lock`, `folder`, `command` and `account`: a user and a group id, or null for our own."""
    lifeline = order["lifeline"]
    for fd in (lifeline, order["lock"]):
        os.set_inheritable(fd, False)
    if prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot become a sub-reaper")
    wake = _wake_on_child_or_term()
    child = _start(order["command"], order["account"])
    for fd in (0, 1, 2):  # they are the command's; as long as we held them nobody would see it end
        _point_at_nothing(fd)
    code = _wait(child, lifeline, wake)
    _kill_descendants()
    shutil.rmtree(order["folder"], ignore_errors=True)
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
            # After the change of user, which would take the parent-death signal away again.
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() == parent:  # else it died before the line above took effect
                os.execv(command[0], command)  # noqa: S606 - a list, no shell
        except OSError as error:
            os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
        finally:
            os._exit(127)
    return child


def _point_at_nothing(fd: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, fd)
    os.close(nothing)


def _wait(child: int, lifeline: int, wake: int) -> int:
    """The command's exit code, or that of a kill when we are told to end first."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN | select.POLLHUP)
    poll.register(wake, select.POLLIN)
    while True:
        ready = dict(poll.poll())
        if lifeline in ready or (wake in ready and signal.SIGTERM in os.read(wake, 4096)):
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


def _kill_descendants() -> None:
    """Until none is left: one may fork while another is killed, but none gets out from below us."""
    while descendants := _descendants(os.getpid()):
        for pid in descendants:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
        _reap()


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - pathlib is slower than the processes are quick
        if entry.isdigit() and (parent := _parent_of(entry)) is not None:
            children.setdefault(parent, []).append(int(entry))
    found = list(children.get(root, []))
    for pid in found:
        found.extend(children.get(pid, []))
    return found


def _parent_of(pid: str) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # it ended while we looked
        return None
    return int(stat[stat.rindex(")") + 2 :].split()[1])


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
