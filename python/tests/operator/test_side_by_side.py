"""Which queued jobs may start beside those that run."""

from uuid import uuid4

import pytest

from nexus.operator.jobs.queue import startable
from nexus.operator.jobs.records import Job, JobOptions, Status, now

FEEDS = {"a": "a" * 12, "b": "b" * 12, "c": "c" * 12}


def jobs(words: str) -> list[Job]:
    """``A`` is a run of feed a that goes on, ``a`` one that waits, ``*`` and ``+`` are runs of all feeds."""
    return [_job(seq, word) for seq, word in enumerate(words.split(), 1)]


def _job(seq: int, word: str) -> Job:
    status: Status = "running" if word.isupper() or word == "*" else "queued"
    options = JobOptions(feed=FEEDS.get(word.lower()))
    return Job(job_id=str(uuid4()), seq=seq, status=status, created_at=now(), options=options)


@pytest.mark.parametrize(
    ("active", "room", "starts"),
    [
        ("a b", 2, [1, 2]),
        ("a b c", 2, [1, 2]),
        ("A b", 2, [2]),
        ("A a b", 2, [3]),
        ("A a", 2, []),
        ("+ a", 2, [1]),
        ("* a", 2, []),
        ("A +", 2, []),
        ("A + b", 3, []),  # b would keep the run of all feeds waiting
        ("A a a b", 4, [4]),
        ("a", 0, []),
        ("A B c", 2, []),
        ("", 2, []),
    ],
)
def test_who_may_start(active: str, room: int, starts: list[int]) -> None:
    assert [job.seq for job in startable(jobs(active), room)] == starts
