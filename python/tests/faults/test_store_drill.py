"""A short drill of the store in every test run; `python -m bench.store_drill` is the long one."""

from pathlib import Path

import pytest

from tests.store.store_drill import drill_store

MAX_KILLS = 7  # the store three times, the worker twice, server and PostgreSQL once: a busy machine ends too


@pytest.mark.parametrize(("kind", "seed"), [("folder", 3), ("s3", 4)])
def test_what_is_named_is_there_and_served(data_dir: Path, kind: str, seed: int) -> None:
    report = drill_store(data_dir, kind, seed=seed, saves=12, pictures=4, seconds=8, max_kills=MAX_KILLS)
    assert report.saves.kills.total() >= 2
    assert report.saves.statuses == {"succeeded": 12}
    assert (report.saves.lost, report.saves.violations) == (set(), set())
    assert (report.check["missing"], report.check["damaged"]) == ([], [])
    assert report.check["blobs"] > 30  # two pictures are on all pages, two on each alone; and its original
    assert (report.pictures, report.originals) == (48, 12)
    assert (report.not_kept, report.not_served) == (0, 0)
