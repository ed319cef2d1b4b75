"""Processes of others may have any name, and may end at any moment."""

import os
import subprocess
import sys

import psutil
import pytest

from nexus.system.processes import all_processes

SCRIPT = """
import ctypes, os, time
from contextlib import suppress
from nexus.operator.jobs.processes import identity
from nexus.system.descendants import become_subreaper, end_children

def reap():
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass

become_subreaper()
told, tell = os.pipe()
child = os.fork()
if not child:
    ctypes.CDLL(None).prctl(15, b"\\xff\\xfe", 0, 0, 0)
    os.write(tell, b".")
    time.sleep(600)
os.read(told, 1)
print(bool(identity(child)))
end_children(0, reap)
print(identity(child))
"""


def test_child_whose_name_is_no_text_is_found_and_ended() -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True", "None"]


def test_process_that_ends_while_it_is_looked_at_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """psutil raises FileNotFoundError when its pid has been reused by then."""
    real = psutil.Process

    def ended(pid: int) -> psutil.Process:
        if pid == os.getppid():
            raise FileNotFoundError(f"/proc/{pid}/stat")
        return real(pid)

    monkeypatch.setattr(psutil, "Process", ended)
    found = {process.pid for process in all_processes()}
    assert (os.getpid() in found, os.getppid() in found) == (True, False)
