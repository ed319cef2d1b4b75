"""The unprivileged account that PostgreSQL and Chromium run as when Nexus itself runs as root."""

import pwd
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nexus.system.file_lock import FileLock

# The first that exists: one made for Nexus, PostgreSQL's own, and last the one that every system has.
ACCOUNTS = ("nexus", "postgres", "nobody")
# Programs that the account cannot reach (a checkout under /root) are copied here.
SHARED_COPIES = Path("/var/lib/nexus/programs")


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int

    def popen_options(self) -> dict[str, Any]:
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def existing_accounts(names: Sequence[str] = ACCOUNTS) -> list[Account]:
    return [account for name in names if (account := _lookup(name))]


def can_execute(account: Account, path: Path) -> bool:
    return _test(account, "-x", path)


def can_read(account: Account, path: Path) -> bool:
    return _test(account, "-r", path)


def copy_once(copy: Path, fill: Callable[[Path], object]) -> Path:
    """A folder that `fill` has filled, readable by everyone; made once, whole or not at all."""
    copy.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with FileLock(copy.parent / ".lock") as lock:
        lock.acquire(wait=True)
        if not copy.exists():
            staging = copy.with_name(copy.name + ".copying")
            shutil.rmtree(staging, ignore_errors=True)  # what a killed process left behind
            staging.mkdir()
            fill(staging)
            _make_readable(staging)
            staging.rename(copy)
    return copy


def _make_readable(folder: Path) -> None:
    """With a strict umask, an installation is readable by root alone."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode & 0o777
            executable = 0o111 if path.is_dir() or mode & 0o100 else 0
            path.chmod(mode | 0o444 | executable)


def _lookup(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def _test(account: Account, what: str, path: Path) -> bool:
    """By trying it as that account: mode bits alone do not include ACLs."""
    test = shutil.which("test") or "/usr/bin/test"
    return subprocess.run([test, what, str(path)], check=False, **account.popen_options()).returncode == 0
