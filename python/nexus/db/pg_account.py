"""Which unprivileged account runs the server when Nexus itself runs as root (PostgreSQL refuses root)."""

import os
from pathlib import Path

from nexus.errors import EmbeddedDatabaseError
from nexus.system.unprivileged import Account, existing_accounts


def account_for(cluster: Path) -> Account | None:
    """None when this process is not root: then the server runs under the same account."""
    if os.geteuid() != 0:
        return None
    usual = existing_accounts()
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        # Another user who may write to a shared folder could have put a cluster of their own there.
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
