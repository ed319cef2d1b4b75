"""``nexus podcast import-opml`` and ``export-opml``."""

from pathlib import Path
from typing import Annotated

import typer

from nexus.errors import FeedsSpecError, ProcessPoolError, UnreadableInputError
from nexus.podcasts import feeds_spec as spec
from nexus.podcasts.corpus.layout import FEEDS_SPEC, Corpus
from nexus.podcasts.feed.state import load_states
from nexus.podcasts.opml import read_opml, write_opml
from nexus.system.atomic_files import replace_file
from nexus.text.process_pool import ProcessPool

READ_SECONDS = 10.0

OutputDir = Annotated[Path, typer.Option(help="The corpus folder, whose feeds.spec.yaml is meant.")]
SpecFile = Annotated[Path | None, typer.Option(help="Another feeds spec than the corpus folder's.")]


def import_opml(
    file: Annotated[Path, typer.Argument(help="An OPML file, as podcast programs export it.")],
    output_dir: OutputDir = Path(),
    feeds_spec: SpecFile = None,
) -> None:
    """Add the feeds of an OPML file to the feeds spec; those that are there stay as they are."""
    target = feeds_spec or output_dir / FEEDS_SPEC
    existing = spec.load(target) if target.exists() else spec.FeedsSpec()
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UnreadableInputError(f"Cannot read {file}: {error.strerror}.") from error
    found = _read_in_child(data, str(file))
    merged = spec.from_entries([*existing.plain(), *found.plain()], name=str(target))
    text = merged.dump_json() if target.suffix == ".json" else merged.dump_yaml()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, text.encode(), durable=True)
    except OSError as error:
        raise UnreadableInputError(f"Cannot write {target}: {error.strerror}.") from error
    added = len(merged.feeds) - len(existing.feeds)
    typer.echo(f"{added} of {len(found.feeds)} feeds added; {target} now lists {len(merged.feeds)}.")


def _read_in_child(data: bytes, name: str) -> spec.FeedsSpec:
    """In a child process with a deadline: 100 000 attributes keep the parser busy for most of a minute."""
    try:
        with ProcessPool(workers=1, deadline_seconds=READ_SECONDS) as pool:
            return pool.run(read_opml, data, name=name)
    except ProcessPoolError as error:
        message = f"{name} cannot be read in {READ_SECONDS:.0f} seconds: it is not what a podcast program writes."
        raise FeedsSpecError(message) from error


def export_opml(
    output_dir: OutputDir = Path(),
    feeds_spec: SpecFile = None,
    output: Annotated[Path | None, typer.Option(help="Where to write it. Default: standard output.")] = None,
) -> None:
    """Write the feeds spec as OPML, with the titles the corpus knows."""
    source = feeds_spec or output_dir / FEEDS_SPEC
    states = load_states(Corpus(output_dir))
    feeds = [
        (states[entry.url].url, states[entry.url].title) if entry.url in states else (entry.url, None)
        for entry in spec.load(source).feeds
    ]
    text = write_opml(feeds)
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        replace_file(output, text.encode(), durable=True)
    except OSError as error:
        raise UnreadableInputError(f"Cannot write {output}: {error.strerror}.") from error
    typer.echo(f"Wrote {output} ({len(feeds)} feeds).")
