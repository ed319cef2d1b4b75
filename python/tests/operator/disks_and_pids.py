"""Full disks and reused pids."""

import json
import resource
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import ENOSPC
from io import RawIOBase
from pathlib import Path

import psutil

from nexus.operator.jobs.files import JobFiles
from tests.processes import eventually

LAST_PID = Path("/proc/sys/kernel/ns_last_pid")
TRIES = 2000  # other processes start too, and may get the number first


@dataclass(frozen=True)
class SmallDisk:
    """A file system of its own that can be filled. Where mounting is refused, the processes' limit takes its place."""

    root: Path
    is_real: bool

    @contextmanager
    def full(self, *writers: psutil.Process) -> Iterator[None]:
        with ExitStack() as later:
            if self.is_real:
                filler = self.root / ".filler"
                later.callback(filler.unlink)
                _fill(filler)
            else:
                for writer in writers:
                    _, hard = writer.rlimit(resource.RLIMIT_FSIZE)
                    later.callback(writer.rlimit, resource.RLIMIT_FSIZE, (hard, hard))
                    writer.rlimit(resource.RLIMIT_FSIZE, (0, hard))
            yield


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (65_536, 1):
            while _written(file, b"x" * size):
                pass


def _written(file: RawIOBase, data: bytes) -> bool:
    try:
        return bool(file.write(data))
    except OSError as error:
        if error.errno == ENOSPC:
            return False
        raise


@contextmanager
def small_disk(root: Path) -> Iterator[SmallDisk]:
    root.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=711", "tmpfs", str(root)]
    is_real = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield SmallDisk(root, is_real)
    finally:
        if is_real:
            # A thread of a server that was stopped may still have a file open there: for a moment.
            eventually(lambda: _is_unmounted(root), "the disk is still in use")


def _is_unmounted(root: Path) -> bool:
    return subprocess.run(["umount", str(root)], capture_output=True, check=False).returncode == 0


def unrelated_process_with(pid: int, files: JobFiles) -> psutil.Popen:
    """A process with the pid of a runner that has ended: as root, the kernel is set to assign this number next;
    otherwise the job's file is changed to name a process that lives."""
    for _ in range(TRIES):
        try:
            LAST_PID.write_text(str(pid - 1))
        except OSError:
            break
        unrelated = psutil.Popen(["sleep", "3600"], cwd="/")
        if unrelated.pid == pid:
            return unrelated
        unrelated.kill()
        unrelated.wait()
    unrelated = psutil.Popen(["sleep", "3600"], cwd="/")
    facts = json.loads(files.started_file.path.read_text()) | {"runner_pid": unrelated.pid, "pid": unrelated.pid}
    files.started_file.path.write_text(json.dumps(facts))
    return unrelated
