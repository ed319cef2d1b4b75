"""Which unprivileged account runs the server when Nexus itself runs as root (PostgreSQL refuses root)."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nexus.errors import EmbeddedDatabaseError

# The first that exists: one made for Nexus, PostgreSQL's own, and at last the one every system has.
ACCOUNTS = ("nexus", "postgres", "nobody")


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int

    def popen_options(self) -> dict[str, Any]:
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def account_for(cluster: Path) -> Account | None:
    """None when we are not root: then the server runs as ourselves."""
    if os.geteuid() != 0:
        return None
    usual = [account for name in ACCOUNTS if (account := _lookup(name))]
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        # Whoever may write to a shared folder could have put a cluster of their own there.
        if owner.st_uid not in {*(account.uid for account in usual), cluster.parent.stat().st_uid}:
            raise EmbeddedDatabaseError(
                f"{cluster} belongs to user id {owner.st_uid}, which is neither ours nor the owner of "
                f"{cluster.parent}; start Nexus as that user, or remove it."
            )
        return Account(owner.st_uid, owner.st_gid)
    if not usual:
        raise EmbeddedDatabaseError(
            "PostgreSQL does not run as root and no unprivileged account was found. "
            "Create one with 'useradd --system nexus', or run Nexus as an ordinary user."
        )
    return usual[0]


def _lookup(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def can_execute(account: Account, path: Path) -> bool:
    """Asks the kernel by trying it as that account: mode bits alone do not tell about ACLs."""
    test = shutil.which("test") or "/usr/bin/test"
    return subprocess.run([test, "-x", str(path)], check=False, **account.popen_options()).returncode == 0
