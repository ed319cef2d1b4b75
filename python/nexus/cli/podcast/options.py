"""The options of ``nexus podcast``, each with its help."""

from pathlib import Path
from typing import Annotated
from uuid import UUID

from typer import Option

OutputDir = Annotated[Path | None, Option(help="The corpus folder: transcripts and their metadata.")]
SpecFile = Annotated[
    Path | None, Option(help="List of feeds (.yaml, .yml, .json). Default: feeds.spec.yaml in the corpus.")
]
Rss = Annotated[list[str] | None, Option(help="A feed's address; may be given several times.")]
RssFile = Annotated[Path | None, Option(help="A file with a feed's address on each line.")]
OnlyFeed = Annotated[str | None, Option(help="Only this feed: its address, its key, or the name of its folder.")]
ConfigFile = Annotated[Path | None, Option(help="The podcast configuration (YAML).")]
Profile = Annotated[str | None, Option(help="A profile; wins over the one the configuration names.")]
MaxEpisodes = Annotated[int | None, Option(min=1, help="At most this many episodes per feed.")]
EpisodeOrder = Annotated[str | None, Option(help="Start with the newest or the oldest.", metavar="newest|oldest")]
EpisodeOffset = Annotated[int | None, Option(min=0, help="Skip this many episodes.")]
Since = Annotated[str | None, Option(help="Only episodes from this day on, such as 2024-01-31.", metavar="DAY")]
Until = Annotated[str | None, Option(help="Only episodes up to this day.", metavar="DAY")]
SkipExisting = Annotated[bool, Option("--skip-existing", help="Skip existing episodes.")]
TranscribeMissing = Annotated[
    bool | None,
    Option("--transcribe-missing/--no-transcribe-missing", help="Transcribe episodes that have no transcript."),
]
KeepAudio = Annotated[
    str | None,
    Option(help="Which audio to keep in the store: what was transcribed, or all.", metavar="none|transcribed|all"),
]
Workers = Annotated[int | None, Option(min=1, max=64, help="How many episodes of a feed to process at once.")]
DryRun = Annotated[bool, Option("--dry-run", help="Show what would be fetched; write nothing.")]
NoLibrary = Annotated[bool, Option("--no-library", help="Write only the corpus.")]
RestoreRemoved = Annotated[
    bool, Option("--restore-removed", help="Put episodes of these feeds that were removed back into the library.")
]
User = Annotated[UUID | None, Option(help="Whose library. Default: PODCAST_USER_ID, then DEV_USER_ID.")]
RunId = Annotated[str | None, Option(help="A name for this run: letters, digits, - and _.")]
