"""Which file each test process takes next, so that not all of them wait at once, or all need the processor."""

from pathlib import PurePath

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

# Slowest first, so that none of them comes last. These wait for other processes most of the time:
WAITING = (
    "faults", "search", "imports", "operator", "archives", "store", "podcasts", "cli", "originals",
    "pipelines", "egress",
)  # fmt: skip
# and these keep their browsers busy, each with a server of its own: half of the processes need none of them.
BUSY = ("contract", "test_plans.py", "viewer", "render", "browser", "exports", "downloads", "organise")


class WaitingBesideBusy(LoadFileScheduling):
    """Every other process begins with the files that wait; at the end each takes any file that is left."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        waits_first = self.nodes.index(node) % 2 == 0
        order = (*WAITING, *BUSY) if waits_first else (*BUSY, *WAITING)
        self.workqueue.move_to_end(min(self.workqueue, key=lambda file: _turn(file, order)), last=False)
        super()._assign_work_unit(node)


def _turn(file: str, order: tuple[str, ...]) -> int:
    turns = (order.index(folder) for folder in PurePath(file).parts if folder in order)
    return next(turns, len(order))
