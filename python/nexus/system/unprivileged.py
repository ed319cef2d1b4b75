"""The account without rights that programs of others run as when Nexus itself runs as root: PostgreSQL, Chromium."""

import pwd
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nexus.system.file_lock import FileLock

# The first that exists: one made for Nexus, PostgreSQL's own, and at last the one every system has.
ACCOUNTS = ("nexus", "postgres", "nobody")
# Programs that the account has no way to (a checkout under /root) are copied here.
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
    """What `fill` puts into an empty folder, at this place, for everybody to read; made once, whole or not at all."""
    copy.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with FileLock(copy.parent / ".lock") as lock:
        lock.acquire(wait=True)
        if not copy.exists():
            staging = copy.with_name(copy.name + ".copying")
            shutil.rmtree(staging, ignore_errors=True)  # what a killed process left behind
            staging.mkdir()
            fill(staging)
            _open_to_everybody(staging)
            staging.rename(copy)
    return copy


def _open_to_everybody(folder: Path) -> None:
    """An installation made with a strict umask is for root alone."""
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
    """Asks the kernel by trying it as that account: mode bits alone do not tell about ACLs."""
    test = shutil.which("test") or "/usr/bin/test"
    return subprocess.run([test, what, str(path)], check=False, **account.popen_options()).returncode == 0
