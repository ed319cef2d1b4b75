"""``nexus search status`` and ``rebuild``: the index of this machine."""

import json
import time
from dataclasses import asdict

import typer
from rich.console import Console

from nexus.cli.shared import open_current_database, quiet_settings
from nexus.cli.shared_options import DataDir, Json
from nexus.services.search.index_process import index_here, open_folder
from nexus.services.search.status import Status, get_status, request_rebuild

POLL_SECONDS = 0.5
BYTES_PER_MB = 1_000_000


def status(data_dir: DataDir = None, as_json: Json = False) -> None:
    """The state of this machine's index; exit 1 while it is being built, or if no process keeps it up to date."""
    settings = quiet_settings(data_dir)
    with open_current_database(settings) as database:
        found = get_status(database, open_folder(database, settings.data_dir))
    typer.echo(_as_json(found) if as_json else _describe(found))
    if found.building or not found.is_kept:
        raise typer.Exit(1)


def rebuild(data_dir: DataDir = None) -> None:
    """Delete the index of this machine and build it again. The server may run; searches go on meanwhile."""
    settings = quiet_settings(data_dir)
    console = Console(stderr=True)
    with open_current_database(settings) as database, console.status("Building …") as shown:
        folder = open_folder(database, settings.data_dir)
        request_rebuild(database, folder)
        if not index_here(database, settings.data_dir, lambda _: shown.update(_progress(get_status(database, folder)))):
            while (found := get_status(database, folder)).is_kept and not found.is_done:
                shown.update(_progress(found))
                time.sleep(POLL_SECONDS)
            index_here(database, settings.data_dir)  # where the server ended meanwhile
        done = get_status(database, folder)
    typer.echo(f"Rebuilt: {done.libraries} libraries, {done.bytes / BYTES_PER_MB:.1f} MB.")


def _progress(found: Status) -> str:
    done, total = (sum(getattr(build, name) for build in found.building) for name in ("done", "total"))
    return f"Building … {done} of {total} texts"


def _as_json(found: Status) -> str:
    facts = asdict(found)
    facts["is_asked"] = facts.pop("is_requested")  # by this name for scripts
    return json.dumps(facts, default=str)


def _describe(found: Status) -> str:
    lines = [f"{found.libraries} libraries, {found.bytes / BYTES_PER_MB:.1f} MB in {found.path}"]
    lines += [f"building {build.library_id}: {build.done} of {build.total}" for build in found.building]
    lines.append(f"{found.waiting} changed entries wait to be indexed" if found.waiting else "up to date")
    if not found.is_kept:
        lines.append("no server of this machine keeps it up to date")
    return "\n".join(lines)
