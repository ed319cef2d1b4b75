"""``python -m nexus.operator.sweep_once CORPUS``: a job runner becomes this process when the process that started it is
gone."""

import sys
from pathlib import Path

from nexus.config import load_settings
from nexus.logging import configure_logging
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.queue import sweep_and_log
from nexus.operator.service import Operator


def main() -> None:
    corpus = CorpusDirectory(Path(sys.argv[1]))
    settings = load_settings()
    configure_logging("WARNING", settings.log_format)
    if settings.output_dir is None:
        settings = settings.model_copy(update={"output_dir": corpus.root})
    sweep_and_log(Operator(settings).queue(corpus))


if __name__ == "__main__":
    main()
