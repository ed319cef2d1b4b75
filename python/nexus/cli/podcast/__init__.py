"""``nexus podcast``: transcripts of feeds, in a corpus folder and in the library."""

import os
import re
import secrets
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import Any
from uuid import UUID

import typer

from nexus.cli.podcast import options
from nexus.cli.podcast.feeds import chosen_feeds, planned_feeds
from nexus.cli.podcast.opml import export_opml, import_opml
from nexus.cli.podcast.show import reporter_for, show_plans
from nexus.cli.shared import open_current_database
from nexus.cli.shared_options import DataDir, Json, start_logging
from nexus.config import Settings, load_settings
from nexus.errors import ConfigError, RunStoppedError
from nexus.podcasts.config import load_podcast_config
from nexus.podcasts.corpus.layout import Corpus
from nexus.podcasts.feeds_spec import RejectedEntry
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.net.pacing import StopFlag
from nexus.podcasts.run.plan import plan_feeds
from nexus.podcasts.run.planned_feed import PlannedFeed
from nexus.podcasts.run.podcast_run import NetworkAccess, PodcastRun, Pools
from nexus.podcasts.run.reporter import RunSummary
from nexus.podcasts.transcribe.openai import Endpoint
from nexus.store import open_store
from nexus.web.egress import Egress
from nexus.web.egress.from_settings import egress_from

GRACE_SECONDS = 5.0  # a killed run loses nothing, so this need not be longer
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def register(parent: typer.Typer) -> None:
    app = typer.Typer(invoke_without_command=True)
    app.callback()(podcast)
    app.command("import-opml")(import_opml)
    app.command("export-opml")(export_opml)
    parent.add_typer(app, name="podcast")


def podcast(
    context: typer.Context,
    output_dir: options.OutputDir = None,
    feeds_spec: options.SpecFile = None,
    rss: options.Rss = None,
    rss_file: options.RssFile = None,
    feed: options.OnlyFeed = None,
    config: options.ConfigFile = None,
    profile: options.Profile = None,
    max_episodes: options.MaxEpisodes = None,
    episode_order: options.EpisodeOrder = None,
    episode_offset: options.EpisodeOffset = None,
    since: options.Since = None,
    until: options.Until = None,
    skip_existing: options.SkipExisting = False,
    transcribe_missing: options.TranscribeMissing = None,
    keep_audio: options.KeepAudio = None,
    workers: options.Workers = None,
    dry_run: options.DryRun = False,
    no_library: options.NoLibrary = False,
    restore_removed: options.RestoreRemoved = False,
    user: options.User = None,
    run_id: options.RunId = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Fetch transcripts of podcasts, or make them, into a corpus folder and the library.

    Exit 0: done (episodes that failed are in the summary); 1: every feed failed; 2: bad configuration or feeds spec;
    130 or 143: stopped.
    """
    if context.invoked_subcommand:
        return
    if output_dir is None:
        raise typer.BadParameter("--output-dir is missing: the folder for the transcripts")
    if restore_removed and (no_library or dry_run):
        raise typer.BadParameter("--restore-removed is about the library; leave out --no-library and --dry-run")
    settings = load_settings(data_dir=data_dir)
    start_logging(settings, "WARNING" if settings.log_level == "INFO" else settings.log_level)
    flags: dict[str, Any] = {
        "max_episodes": max_episodes, "episode_order": episode_order, "episode_offset": episode_offset,
        "episode_since": since, "episode_until": until, "skip_existing": skip_existing or None,
        "transcribe_missing": transcribe_missing, "keep_audio": keep_audio, "workers": workers,
    }  # fmt: skip
    corpus = Corpus(output_dir.expanduser().absolute())
    base = load_podcast_config(config, profile=profile, flags=flags)
    chosen = chosen_feeds(corpus, feeds_spec=feeds_spec, rss=rss or [], rss_file=rss_file, only=feed)
    feeds, rejected = planned_feeds(base, chosen, flags)
    stop = _StopSignal()
    if dry_run:
        code = _dry_run(settings, corpus, feeds, rejected, stop, as_json)
    else:
        owner = None if no_library else user or settings.podcast_user_id or settings.dev_user_id
        alone = not (feed or rss)
        run_options = _RunOptions(_run_id(run_id), owner, restore_removed, base.feed_workers, as_json, rejected, alone)
        summary = _run(settings, corpus, feeds, run_options, stop)
        code = 1 if summary.every_feed_failed else 0
    raise typer.Exit(stop.exit_code or code)


@dataclass(frozen=True)
class _RunOptions:
    run_id: str
    owner: UUID | None
    restore_removed: bool
    feed_workers: int
    as_json: bool
    rejected: Sequence[RejectedEntry] = ()
    alone: bool = True


class _StopSignal(StopFlag):
    """The first signal sets the flag; after the grace period the process exits, as after a kill."""

    def __init__(self) -> None:
        super().__init__()
        self.exit_code = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self.exit_code = self.exit_code or 128 + number
        self.set()
        timer = threading.Timer(GRACE_SECONDS, os._exit, [self.exit_code])
        timer.daemon = True
        timer.start()


def _run(
    settings: Settings, corpus: Corpus, feeds: Sequence[PlannedFeed], run_options: _RunOptions, stop: StopFlag
) -> RunSummary:
    with ExitStack() as stack:
        library = None
        if run_options.owner:
            database = stack.enter_context(open_current_database(settings))
            library = PodcastLibrary(
                database, run_options.owner,
                restore_removed=run_options.restore_removed, max_original=settings.original_max_bytes,
                store=open_store(settings, database),
            )  # fmt: skip
        reporter = stack.enter_context(reporter_for(as_json=run_options.as_json))
        key = settings.openai_api_key
        run = PodcastRun(
            corpus,
            run_id=run_options.run_id,
            network=NetworkAccess(
                lambda exceptions: _open_egress(settings, feeds, exceptions),
                Endpoint(settings.openai_base_url, key.get_secret_value() if key else None),
            ),
            library=library,
            reporter=reporter,
            stop=stop,
            pools=stack.enter_context(Pools.opened()),
        )
        return run.run(
            feeds, feed_workers=run_options.feed_workers, rejected=run_options.rejected, alone=run_options.alone
        )


def _open_egress(settings: Settings, feeds: Sequence[PlannedFeed], exceptions: Sequence[str]) -> Egress:
    """At least as many connections to a host as any feed allows: the run enforces the limits of each feed."""
    per_host = max([settings.egress_per_host, *(feed.config.host_max_concurrent for feed in feeds)])
    allow = (*settings.egress_allow, *exceptions)
    return egress_from(settings.model_copy(update={"egress_allow": allow, "egress_per_host": per_host}))


def _dry_run(
    settings: Settings,
    corpus: Corpus,
    feeds: Sequence[PlannedFeed],
    rejected: Sequence[RejectedEntry],
    stop: StopFlag,
    as_json: bool,
) -> int:
    try:
        with egress_from(settings) as egress, Pools.opened() as pools:
            plans = plan_feeds(corpus, feeds, egress=egress, stop=stop, pool=pools.text, rejected=rejected)
    except RunStoppedError:
        return 0
    show_plans(plans, as_json=as_json)
    return 1 if plans and all(each.error for each in plans) else 0


def _run_id(run_id: str | None) -> str:
    """Checked, because it becomes the name of a folder."""
    if run_id is None:
        return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    if not RUN_ID.fullmatch(run_id):
        raise ConfigError("--run-id takes letters, digits, - and _, at most 100.")
    return run_id
