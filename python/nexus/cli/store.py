"""``nexus store``: check, collect and measure the store of originals, pictures and audio."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from nexus.cli.shared import open_current_database, quiet_settings
from nexus.cli.shared_options import DataDir, Json
from nexus.services.originals.pending_originals import count_originals
from nexus.store import BlobStore, open_store
from nexus.store.check import check as check_store
from nexus.store.check import problems
from nexus.store.collect import collect as collect_store
from nexus.store.health import Usage
from nexus.store.health import stats as measure
from nexus.store.identity import start_new_store
from nexus.store.locks import STEP_WAIT_SECONDS

app = typer.Typer(help="Check, collect and measure the store of originals, pictures and audio.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="store")


@contextmanager
def opened_store(data_dir: Path | None) -> Iterator[BlobStore]:
    settings = quiet_settings(data_dir)
    with open_current_database(settings) as database:
        yield open_store(settings, database)


@app.command()
def check(
    restart: Annotated[
        bool, typer.Option("--restart", help="Start over, even if an earlier check was interrupted.")
    ] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Read every blob that the library names and compare it with its hash; exit 1 if one is missing or damaged."""
    with opened_store(data_dir) as store:
        done = check_store(store, restart=restart)
        with store.database.transaction() as session:
            found = problems(session)
    if as_json:
        typer.echo(json.dumps(asdict(done) | {"missing": found.missing, "damaged": found.damaged}, default=str))
    else:
        for sha256 in found.missing:
            typer.echo(f"missing  {sha256}")
        for sha256 in found.damaged:
            typer.echo(f"damaged  {sha256}")
        typer.echo(f"{_blobs(Usage(done.blobs, done.bytes))}: {done.missing} missing, {done.damaged} damaged.")
    if done.missing or done.damaged:
        raise typer.Exit(1)


@app.command()
def collect(
    grace_hours: Annotated[float, typer.Option(min=0, help="Keep what was stored within this many hours.")] = 24,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Remove the blobs that nothing in the library names any more. The server may run meanwhile."""
    with opened_store(data_dir) as store:
        done = collect_store(store, grace=timedelta(hours=grace_hours), dry_run=dry_run, wait_seconds=STEP_WAIT_SECONDS)
    if as_json:
        typer.echo(json.dumps(asdict(done)))
        return
    verb = "Would remove" if dry_run else "Removed"
    typer.echo(f"{verb} {_blobs(Usage(done.blobs + done.strays, done.bytes))}, {done.leftovers} temporary files.")


@app.command()
def begin(data_dir: DataDir = None) -> None:
    """Begin an empty store for a library whose own is lost, such as after 'nexus db restore' alone."""
    with opened_store(data_dir) as store:
        missing = start_new_store(store.backend, store.database)
        location = store.backend.location
    typer.echo(f"The store is in {location} now; {missing:,} of the blobs that the library refers to are missing.")


@app.command()
def stats(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Say where the store is, how much it holds and for what, and what is known to be missing."""
    with opened_store(data_dir) as store:
        found = measure(store)
        with store.database.transaction() as session:
            originals = count_originals(session)
    health = found.health
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"originals": asdict(originals)}, default=str))
        return
    typer.echo(f"{health.kind}: {health.place}")
    typer.echo(health.problem or "It can be used.")
    typer.echo(f"{_blobs(health.stored)}, {health.missing} missing, {health.damaged} damaged")
    for column, usage in found.named_by.items():
        typer.echo(f"  {column}: {_blobs(usage)}")
    typer.echo(f"  named by nothing: {_blobs(found.unnamed)}")
    typer.echo(f"originals: {originals.waiting:,} wait for the store ({originals.waiting_bytes:,} bytes)")
    typer.echo(
        f"  not kept: {originals.too_large:,} too large, {originals.user_full:,} beyond what a user may have,"
        f" {originals.waiting_full:,} while too much waited"
    )
    if health.free_bytes is not None:
        typer.echo(f"free: {health.free_bytes:,} bytes, {health.reserve_bytes or 0:,} of them for the database")
    last = health.last_check
    typer.echo(f"last check: {last.finished_at:%Y-%m-%d %H:%M} UTC" if last else "never checked: 'nexus store check'")
    collected = health.last_collection
    if collected:
        removed = _blobs(Usage(collected.blobs, collected.bytes))
        typer.echo(f"last collection: {collected.finished_at:%Y-%m-%d %H:%M} UTC, {removed} removed")
    else:
        typer.echo("never collected: a worker does it every NEXUS_STORE_COLLECT_HOURS")


def _blobs(usage: Usage) -> str:
    return f"{usage.blobs:,} {'blob' if usage.blobs == 1 else 'blobs'} ({usage.bytes:,} bytes)"
