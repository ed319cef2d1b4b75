"""A folder for all files of one browser: locked while it lives, removed with it, found again if all were killed."""

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

PREFIX = "nexus-render-"
UNLOCKED_SECONDS = 3600
REMOVE_SECONDS = 10


def make_folder() -> tuple[Path, int]:
    """And its lock, which belongs to whoever holds this descriptor."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        if _try_lock(lock) and (folder / "lock").exists():
            return folder, lock
        os.close(lock)  # somebody who clears up took it for a left-over in between


def remove_folder(folder: Path) -> None:
    """With the processes that still work in it: Chromium writes to its profile until its last moment."""
    give_up = time.monotonic() + REMOVE_SECONDS
    while folder.exists() and time.monotonic() < give_up:
        for process in _processes_in(folder):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned_folders() -> None:
    """What is left when the machine stopped or everything was killed at once: nobody holds its lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # not ours, or somebody else was quicker
            if folder.lstat().st_uid == os.geteuid():
                _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    try:
        lock = os.open(folder / "lock", os.O_RDWR)
    except FileNotFoundError:
        if time.time() - folder.lstat().st_mtime > UNLOCKED_SECONDS:
            remove_folder(folder)
        return
    try:
        if _try_lock(lock):
            remove_folder(folder)
    finally:
        os.close(lock)


def _processes_in(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if Path(process.cwd()).is_relative_to(folder):
                found.append(process)
    return found


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
