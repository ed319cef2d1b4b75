"""A restore without a worker: all batches of an archive, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.outcomes import Outcome
from nexus.services.archives.restore import Lines, OnBatch, Restore, RestoreResources
from nexus.services.users import CurrentUser


@dataclass
class RestoreCounts:
    """The number of lines by their outcome."""

    added: int = 0
    merged: int = 0
    unchanged: int = 0
    failed: int = 0

    def count(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            setattr(self, outcome.result, getattr(self, outcome.result) + 1)


def restore_archive(
    resources: RestoreResources,
    user: CurrentUser,
    archive: ArchiveFile,
    *,
    after: int = 0,
    on_batch: OnBatch | None = None,
) -> RestoreCounts:
    """`after`: how many lines are done already."""
    restored = RestoreCounts()
    with Restore(resources, user, archive, on_batch or _ignore, _ignore, Lines(after)) as restore:
        while (outcomes := restore.step()) is not None:
            restored.count(outcomes)
        with resources.database.transaction() as session:
            restored.failed += len(restore.finish(session))
    return restored


def _ignore(session: Session, recorded: object) -> None:
    pass
