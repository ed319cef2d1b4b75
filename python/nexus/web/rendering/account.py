"""The account that runs the browser when Nexus is root, programs it can execute, and whether the sandbox works."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from nexus.system.unprivileged import (
    ACCOUNTS,
    SHARED_COPIES,
    Account,
    can_execute,
    can_read,
    copy_once,
    existing_accounts,
)
from nexus.web.rendering.folders import home_in, make_folder, remove_folder
from nexus.web.rendering.process import start_supervisor

# Never PostgreSQL's user id, so that the browser cannot read the database's files.
OWN_ACCOUNT = "nexus-browser"
NOBODY = Account(65534, 65534)  # works without an entry in /etc/passwd
PROBE_SECONDS = 60
# Chromium does not start without this file beside it, so a folder that has it is a complete Chromium.
PART_OF_CHROMIUM = "icudtl.dat"


class NotExecutableError(Exception):
    """A program that the account cannot run."""


def browser_account(data_dir: Path) -> Account | None:
    """None: the browser runs as our own user, because we are not root or may not change the user."""
    if os.geteuid() != 0:
        return None
    candidates = [*existing_accounts((OWN_ACCOUNT, "nobody")), NOBODY, *existing_accounts(ACCOUNTS)]
    taken = _database_owner(data_dir)
    account = next((each for each in candidates if each.uid not in (0, taken)), NOBODY)
    try:
        subprocess.run(["/bin/sh", "-c", ":"], check=True, **account.popen_options())
    except (OSError, subprocess.SubprocessError):
        return None
    return account


def _database_owner(data_dir: Path) -> int | None:
    """The user id that PostgreSQL runs as, or will run as once its files exist."""
    cluster = data_dir / "postgres"
    if cluster.exists() and (owner := cluster.stat().st_uid) != 0:
        return owner
    return next((account.uid for account in existing_accounts()), None)


def reachable_node(node: Path, version: str, account: Account | None) -> Path:
    if account is None or can_execute(account, node):
        return node
    real = node.resolve()
    copy = SHARED_COPIES / f"node-{version}-{real.stat().st_size}"
    return copy_once(copy, lambda staging: shutil.copy2(real, staging / "node")) / "node"


def reachable_script(script: Path, account: Account | None) -> Path:
    packages = script.parent / "node_modules"
    if account is None or (can_read(account, script) and can_read(account, packages / "playwright-core/package.json")):
        return script
    locked = _digest([script.parent / "package-lock.json", packages / ".package-lock.json"])
    shared = copy_once(
        SHARED_COPIES / f"node-packages-{locked}",
        lambda staging: shutil.copytree(packages, staging / "node_modules", symlinks=True),
    )
    files = sorted([*script.parent.glob("*.mjs"), script.parent / "package.json"])
    copy = SHARED_COPIES / f"node-ingest-{_digest(files)}-{locked}"
    return copy_once(copy, lambda staging: _copy_script(files, shared, staging)) / script.name


def reachable_chromium(chromium: Path, account: Account | None) -> Path:
    if account is None or can_execute(account, chromium):
        return chromium
    real = chromium.resolve()
    if not (real.parent / PART_OF_CHROMIUM).exists():
        raise NotExecutableError(
            f"{chromium} cannot be run by user id {account.uid}, as which Chromium runs when Nexus is root. "
            "Install Chromium where all users may run it, or run Nexus as an ordinary user."
        )
    found = real.stat()
    build = hashlib.sha256(f"{real} {found.st_size} {found.st_mtime_ns}".encode()).hexdigest()[:12]
    copy = SHARED_COPIES / f"chromium-{build}"
    fill: Callable[[Path], object] = lambda staging: shutil.copytree(  # noqa: E731
        real.parent, staging, symlinks=True, dirs_exist_ok=True
    )
    return copy_once(copy, fill) / real.name


def has_sandbox(chromium: Path, account: Account | None) -> bool:
    """Starts Chromium to find out: kernel, security modules and containers may forbid the sandbox."""
    if account is None:
        return os.geteuid() != 0  # without root, Chromium has its sandbox or does not start
    # A slow start (a cold disk, a busy machine) is no refusal: only a refusal turns the sandbox off.
    return _starts(chromium, account) is not False or _starts(chromium, account, "--no-sandbox") is not True


def _starts(chromium: Path, account: Account, *switches: str) -> bool | None:
    """None: it did not end in time. It runs under a supervisor like any browser, so that no process is left if ours is
    killed."""
    folder, lock = make_folder(account)
    parent_pipe, ours = os.pipe()
    profile = f"--user-data-dir={home_in(folder)}/profile"
    command = [str(chromium), "--headless", "--disable-gpu", "--no-first-run", "--proxy-server=127.0.0.1:9", profile]
    command += [*switches, "--dump-dom", "about:blank"]
    try:
        supervisor = start_supervisor(command, folder, account, parent_pipe, lock, stream=subprocess.DEVNULL)
    finally:
        os.close(parent_pipe)
    try:
        return supervisor.wait(PROBE_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return None
    finally:
        os.close(ours)
        supervisor.wait()
        remove_folder(folder)
        lock.release()


def _copy_script(files: list[Path], packages: Path, staging: Path) -> None:
    for file in files:
        shutil.copy2(file, staging / file.name)
    (staging / "node_modules").symlink_to(packages / "node_modules")


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + (file.read_bytes() if file.exists() else b""))
    return digest.hexdigest()[:12]
