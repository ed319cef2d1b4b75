"""A short drill of the store in every test run; `python -m bench.store_drill` is the long one."""

from pathlib import Path

import pytest

from tests.store.store_drill import drill_store

MAX_KILLS = 3  # each costs two seconds of processor, and a busy machine must come to an end, too
SAVES = 8


@pytest.mark.parametrize(("kind", "seed"), [("folder", 3), ("s3", 4)])
def test_what_is_named_is_there_and_served(data_dir: Path, kind: str, seed: int) -> None:
    report = drill_store(data_dir, kind, seed=seed, saves=SAVES, pictures=4, seconds=8, max_kills=MAX_KILLS)
    assert report.saves.kills.total() >= 2
    assert report.saves.statuses == {"succeeded": SAVES}
    assert (report.saves.lost, report.saves.violations) == (set(), set())
    assert (report.check["missing"], report.check["damaged"]) == ([], [])
    assert report.check["blobs"] > 2 * SAVES  # two pictures are on all pages, two on each alone; and its original
    assert (report.pictures, report.originals) == (4 * SAVES, SAVES)
    assert (report.not_kept, report.not_served) == (0, 0)
