"""Calls in threads that nobody waits for when the process ends."""

import subprocess
import sys

import pytest

from nexus.system.daemon_threads import DaemonThreads

ENDS = """
import threading, time
from nexus.system.daemon_threads import DaemonThreads
started = threading.Event()
DaemonThreads("test").submit(lambda: (started.set(), time.sleep(600)))
started.wait()
"""


def test_results_and_errors_come_back() -> None:
    threads = DaemonThreads("test")
    assert threads.submit(divmod, 7, 2).result(60) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        threads.submit(divmod, 7, 0).result(60)


def test_the_process_ends_without_them() -> None:
    subprocess.run([sys.executable, "-c", ENDS], check=True, timeout=120, env={"PYTHONPATH": ":".join(sys.path)})
