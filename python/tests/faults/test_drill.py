"""A short drill in every test run; `python -m bench.drill` is the long one."""

from pathlib import Path

import pytest

from tests.faults.drill import drilled

MAX_KILLS = 4  # each kind of process once, the worker twice; each further one costs two seconds of processor


@pytest.mark.parametrize(("seed", "hard"), [(7, True), (8, False)], ids=["killed", "terminated"])
def test_nothing_is_lost_and_nothing_doubled(data_dir: Path, seed: int, hard: bool) -> None:
    report = drilled(data_dir, seed=seed, saves=30, seconds=8, hard=hard, max_kills=MAX_KILLS)
    assert report.kills.total() >= 2
    assert report.lost == set()
    assert report.violations == set()
    assert len(report.acknowledged) == 30
    assert set(report.statuses) <= {"succeeded", "needs_user_text", "failed"}
    assert report.media == 16  # of twenty numbers two are the missing page and two are pasted
