"""Temporary folders, one per browser: locked while it runs, removed with it; abandoned ones are removed later."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from nexus.system.file_lock import FileLock
from nexus.system.processes import all_processes
from nexus.system.unprivileged import Account, can_execute

PREFIX = "nexus-render-"
# For root, whose temporary folder the browser's account may not be allowed to enter.
SHARED = Path("/var/lib/nexus/browser")
UNLOCKED_SECONDS = 3600
REMOVE_SECONDS = 10


def make_folder(account: Account | None = None) -> tuple[Path, FileLock]:
    """Make a folder. Returns it with its lock, which is held. The browser writes only to the home inside it."""
    parent = _parent_for(account)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        lock = FileLock(folder / "lock")
        if lock.acquire() and lock.path.exists():
            home_in(folder).mkdir(mode=0o700)
            if account:
                folder.chmod(0o711)
                os.chown(home_in(folder), account.uid, account.gid)
            return folder, lock
        lock.release()  # another process removed it as abandoned in between


def home_in(folder: Path) -> Path:
    return folder / "home"


def _parent_for(account: Account | None) -> Path:
    parent = Path(tempfile.gettempdir())
    if account is None or can_execute(account, parent):
        return parent
    SHARED.mkdir(mode=0o711, parents=True, exist_ok=True)
    return SHARED


def remove_folder(folder: Path) -> None:
    """Kills the processes that still run in it: Chromium writes to its profile until it ends."""
    give_up = time.monotonic() + REMOVE_SECONDS
    while folder.exists() and time.monotonic() < give_up:
        for process in _processes_in(folder):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned_folders() -> None:
    """Folders left by a power failure or a kill of all processes: their lock is free."""
    for folder in (found for parent in (Path(tempfile.gettempdir()), SHARED) for found in parent.glob(f"{PREFIX}*")):
        with suppress(OSError):  # not ours, or another process removed it first
            if folder.lstat().st_uid == os.geteuid():
                _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    path = folder / "lock"
    lock = FileLock(path, lambda: os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC))
    try:
        is_abandoned = lock.acquire()
    except FileNotFoundError:
        if time.time() - folder.lstat().st_mtime > UNLOCKED_SECONDS:
            remove_folder(folder)
        return
    with lock:
        if is_abandoned:
            remove_folder(folder)


def _processes_in(folder: Path) -> list[psutil.Process]:
    found = []
    for process in all_processes():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if Path(process.cwd()).is_relative_to(folder):
                found.append(process)
    return found
