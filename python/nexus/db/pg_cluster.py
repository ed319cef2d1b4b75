"""The embedded server's files: where they are, how they are made, and their state."""

import hashlib
import os
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nexus.db.pg_account import account_for
from nexus.db.pg_binaries import Binaries, find_binaries, within_reach
from nexus.db.supervisor_names import SUPERVISOR_LOCK
from nexus.errors import EmbeddedDatabaseError
from nexus.system.atomic_files import remove_leftovers_of, replace_file, sync_directory
from nexus.system.file_lock import FileLock
from nexus.system.unprivileged import Account, can_execute

PORT = 5432  # only names the socket file; nothing listens on the network
RELOCATED = Path("/var/lib/nexus/clusters")
MAX_SOCKET_PATH_BYTES = 100  # sockaddr_un holds 104 bytes on macOS and 108 on Linux
BUILTIN_LOCALE_SINCE = 17  # --locale-provider=builtin: sorting that no system library can change


@dataclass(frozen=True)
class Cluster:
    """Everything under ``<data-dir>/postgres``; the data directory itself belongs to Nexus."""

    data_dir: Path

    @cached_property
    def users_lock(self) -> FileLock:
        return FileLock(self.data_dir / "postgres.users.lock")

    @cached_property
    def supervisor_lock(self) -> FileLock:
        return FileLock(self.data_dir / SUPERVISOR_LOCK)

    @property
    def base(self) -> Path:
        return (self.data_dir / "postgres").resolve()

    @property
    def pgdata(self) -> Path:
        return self.base / "data"

    @property
    def log_file(self) -> Path:
        return self.base / "server.log"

    @property
    def account(self) -> Account | None:
        return account_for(self.base)

    @property
    def major(self) -> int | None:
        version_file = self.pgdata / "PG_VERSION"
        return int(version_file.read_text().split(".")[0]) if version_file.exists() else None

    @property
    def binaries(self) -> Binaries:
        return find_binaries(self.major)

    @property
    def socket_dir(self) -> Path:
        own = self.base / "run"
        if len(os.fsencode(own / f".s.PGSQL.{PORT}")) <= MAX_SOCKET_PATH_BYTES:
            return own
        uid = self.account.uid if self.account else os.geteuid()
        return Path(f"/tmp/nexus-{uid}-{_short_hash(self.base)}")  # noqa: S108 - _own_directory checks it

    def password(self) -> str:
        return (self.base / "password").read_text().strip()

    def claim_data_dir(self) -> None:
        """Make the data directory if need be, or explain why it cannot be used."""
        try:
            # As root the server's account must pass through it; x alone does not let it list files.
            self.data_dir.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
            for lock in (self.users_lock, self.supervisor_lock):
                lock.path.touch(mode=0o600)
        except OSError as error:
            raise EmbeddedDatabaseError(
                f"The data directory {self.data_dir} cannot be used: {error.strerror}. "
                "Choose another with --data-dir or NEXUS_DATA_DIR."
            ) from error
        link = self.data_dir / "postgres"
        if link.is_symlink() and not link.exists():
            raise EmbeddedDatabaseError(
                f"{link} leads to {self.base}, which is gone. Bring it back, or remove {link} to start empty."
            )
        find_binaries(self.major)

    def prepare(self) -> Binaries:
        """Make what is missing. Only the supervisor calls this, holding its lock."""
        self._choose_folder()
        account = self.account
        _own_directory(self.base, account)
        _own_directory(self.socket_dir, account)
        binaries = within_reach(self.binaries, account)
        if self.major is None:
            self._initialise(binaries, account)
        elif not (self.base / "password").exists():
            password = self._make_password()
            self._as_superuser(binaries, account, self.pgdata, f"ALTER ROLE nexus PASSWORD '{password}';")
        return binaries

    def _choose_folder(self) -> None:
        link = self.data_dir / "postgres"
        if link.exists() or link.is_symlink():
            return
        account = self.account
        if account is None or can_execute(account, self.data_dir):
            return
        # The account cannot enter a parent such as /root, whose permissions we do not change: the files go where it
        # can reach them, and the data directory holds a link.
        elsewhere = RELOCATED / _short_hash(self.data_dir.resolve())
        elsewhere.mkdir(mode=0o700, parents=True, exist_ok=True)
        RELOCATED.chmod(0o711)
        link.symlink_to(elsewhere)

    def _initialise(self, binaries: Binaries, account: Account | None) -> None:
        """initdb beside the final path, then one rename: a kill in between leaves nothing incomplete."""
        staging = self.base / "data.new"
        shutil.rmtree(staging, ignore_errors=True)
        password = self._make_password()
        throwaway = self.base / "superuser.tmp"
        _write_secret(throwaway)
        if account:
            os.chown(throwaway, account.uid, account.gid)
        self._run(
            [binaries.program("initdb"), "-D", str(staging), "-U", "postgres", "--auth=scram-sha-256",
             f"--pwfile={throwaway}", "--encoding=UTF8", "--data-checksums", *_locale_options(binaries.major)],
            account,
        )  # fmt: skip
        throwaway.unlink()
        self._as_superuser(
            binaries,
            account,
            staging,
            f"CREATE ROLE nexus LOGIN CREATEDB PASSWORD '{password}';",
            "CREATE DATABASE nexus OWNER nexus;",
        )
        staging.rename(self.pgdata)
        sync_directory(self.base)

    def _as_superuser(self, binaries: Binaries, account: Account | None, pgdata: Path, *statements: str) -> None:
        """Nexus logs in as an ordinary role; the superuser has no password and works in single-user mode only."""
        command = [binaries.program("postgres"), "--single", "-D", str(pgdata), "-j", "postgres"]
        self._run(command, account, "".join(f"{statement}\n\n" for statement in statements))

    def _make_password(self) -> str:
        kept = self.base / "password"
        if not kept.exists():
            _write_secret(kept)
        return self.password()

    def _run(self, command: list[str], account: Account | None, script: str = "") -> None:
        options = account.popen_options() if account else {}
        done = subprocess.run(
            command, input=script, capture_output=True, text=True, check=False, cwd=self.base, umask=0o077,
            env=server_environment(), **options,
        )  # fmt: skip
        # Single-user mode exits with 0 even if a statement failed; its output has ERROR then.
        if done.returncode != 0 or "ERROR:" in done.stderr:
            output = (done.stderr.strip() or done.stdout.strip()).splitlines()
            complaint = next((line for line in output if "ror:" in line.lower()), output[-1] if output else "no output")
            raise EmbeddedDatabaseError(f"{Path(command[0]).name} failed in {self.base}: {complaint}")


def server_environment() -> dict[str, str]:
    """Not ours: PG* variables would change the server, and it needs no secrets."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def _locale_options(major: int) -> list[str]:
    if major >= BUILTIN_LOCALE_SINCE:
        return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    return ["--locale=C"]


def _own_directory(path: Path, account: Account | None) -> None:
    path.mkdir(mode=0o700, exist_ok=True)
    uid = account.uid if account else os.geteuid()
    found = path.lstat()
    if found.st_uid == 0 and account:  # just made by us, or by a start that was killed right here
        os.chown(path, account.uid, account.gid)
    elif found.st_uid != uid:
        raise EmbeddedDatabaseError(
            f"{path} belongs to user id {found.st_uid}, not to {uid}; start Nexus as its owner or remove it."
        )
    path.chmod(0o700)


def _write_secret(path: Path) -> None:
    remove_leftovers_of(path)
    replace_file(path, secrets.token_hex(32).encode() + b"\n", durable=True)


def _short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
