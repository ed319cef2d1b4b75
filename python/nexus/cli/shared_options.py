"""Options of several commands, and their logging. Does not import the database, which not every command needs."""

from pathlib import Path
from typing import Annotated

import typer

from nexus.config import LogLevel, Settings, misspelled_variables
from nexus.logging import configure_logging, get_logger

log = get_logger(__name__)

DataDir = Annotated[
    Path | None,
    typer.Option(help="Where the embedded database and other files live. Default: NEXUS_DATA_DIR.", show_default=False),
]
OutputDir = Annotated[
    Path | None,
    typer.Option(help="The podcast corpus to work on. Default: PODCAST_SERVE_OUTPUT_DIR.", show_default=False),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        help="The operator's YAML file. Default: PODCAST_SERVE_CONFIG_FILE, else viewer_operator.yaml in the corpus.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def start_logging(settings: Settings, level: LogLevel | None = None) -> None:
    configure_logging(level or settings.log_level, settings.log_format)
    for complaint in misspelled_variables():
        log.warning(complaint)
