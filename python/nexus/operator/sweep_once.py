"""``python -m nexus.operator.sweep_once CORPUS``: what a job runner becomes when whoever started it is gone."""

import sys
from pathlib import Path

from nexus.config import load_settings
from nexus.logging import configure_logging
from nexus.operator.corpus import Corpus
from nexus.operator.jobs.queue import JobQueue, quietly_sweep
from nexus.operator.jobs.rules import rules_from


def main() -> None:
    settings = load_settings()
    configure_logging("WARNING", settings.log_format)
    quietly_sweep(JobQueue(Corpus(Path(sys.argv[1])), rules_from(settings)))


if __name__ == "__main__":
    main()
