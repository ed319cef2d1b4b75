"""A process may put any bytes into its name; whoever reads /proc must not stumble over it."""

import subprocess
import sys

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
