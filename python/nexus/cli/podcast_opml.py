"""``nexus podcast import-opml`` and ``export-opml``: subscriptions from and for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from nexus.errors import UnreadableInputError
from nexus.podcasts import feeds_spec as spec
from nexus.podcasts.corpus.files import write_bytes
from nexus.podcasts.corpus.layout import Corpus
from nexus.podcasts.feed.state import load_states
from nexus.podcasts.opml import read_opml, write_opml

OutputDir = Annotated[Path, typer.Option(help="The corpus folder, whose feeds.spec.yaml is meant.")]
SpecFile = Annotated[Path | None, typer.Option(help="Another feeds spec than the corpus folder's.")]


def import_opml(
    file: Annotated[Path, typer.Argument(help="An OPML file, as podcast programs export it.")],
    output_dir: OutputDir = Path(),
    feeds_spec: SpecFile = None,
) -> None:
    """Add the feeds of an OPML file to the feeds spec; those that are there stay as they are."""
    target = feeds_spec or output_dir / spec.BASENAME
    there = spec.load(target) if target.exists() else spec.FeedsSpec()
    try:
        found = read_opml(file.read_bytes(), name=str(file))
    except OSError as error:
        raise UnreadableInputError(f"Cannot read {file}: {error.strerror}.") from error
    merged = spec.from_entries([*there.plain(), *found.plain()], name=str(target))
    text = merged.dump_json() if target.suffix == ".json" else merged.dump_yaml()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, text.encode(), durable=True)
    except OSError as error:
        raise UnreadableInputError(f"Cannot write {target}: {error.strerror}.") from error
    added = len(merged.feeds) - len(there.feeds)
    typer.echo(f"{added} of {len(found.feeds)} feeds added; {target} now lists {len(merged.feeds)}.")


def export_opml(
    output_dir: OutputDir = Path(),
    feeds_spec: SpecFile = None,
    output: Annotated[Path | None, typer.Option(help="Where to write it. Default: standard output.")] = None,
) -> None:
    """Write the feeds spec as OPML, with the titles the corpus knows."""
    source = feeds_spec or output_dir / spec.BASENAME
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
        write_bytes(output, text.encode(), durable=True)
    except OSError as error:
        raise UnreadableInputError(f"Cannot write {output}: {error.strerror}.") from error
    typer.echo(f"Wrote {output} ({len(feeds)} feeds).")
