"""A worker of this process in a thread, and an attempt that reads every page."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from nexus.services.lifecycle import Claim, Outcome, Succeeded
from nexus.worker import Worker
from tests.lifecycle_steps import LifecycleSteps, article, attempt_record


@contextmanager
def working(worker: Worker) -> Iterator[None]:
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join()


def is_read(steps: LifecycleSteps, item_id: UUID) -> bool:
    return steps.state(item_id)[0] == "succeeded"


def read_by_url(claim: Claim) -> Outcome:
    return Succeeded(claim, article(f"https://example.org/{claim.item_id}"), (attempt_record(),))
