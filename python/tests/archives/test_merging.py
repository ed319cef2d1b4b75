"""Restoring into a library that is in use: of two decisions the later one counts; stopping in between loses nothing."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from nexus.services.archives import restore
from nexus.services.archives.outcomes import Outcome
from tests.archives.conftest import Server
from tests.archives.forged_archives import Record, edit_records, the_article
from tests.archives.libraries import fill_library
from tests.archives.test_round_trip import assert_equal
from tests.archives.whole_restore import RestoreCounts

EARLY, LATE = "2001-01-01T00:00:00+00:00", "2026-01-01T00:00:00+00:00"


@pytest.fixture
def used(source: Server, target: Server, tmp_path: Path) -> tuple[UUID, Path]:
    """A library that was restored, and the archive."""
    maker = source.maker(seed=3)
    fill_library(maker)
    path = source.save_archive(maker.user, tmp_path)
    target.restore(path, target.user(maker.user))
    return maker.user, path


def state(value: str, decided: str) -> dict[str, Any]:
    return {
        "read_at": value, "read_decided_at": decided, "archived_at": None, "archived_decided_at": decided,
        "starred_at": value, "starred_decided_at": decided, "own_title": value, "title_decided_at": decided,
        "note": value, "note_decided_at": decided,
    }  # fmt: skip


@pytest.mark.parametrize("decided", [EARLY, LATE])
def test_the_later_decision_counts(used: tuple[UUID, Path], target: Server, decided: str) -> None:
    user, path = used
    decided_on_target = datetime(2010, 1, 1, tzinfo=UTC)
    target.connection.execute(
        "UPDATE library_media SET read_at = %(at)s, read_decided_at = %(at)s, archived_at = %(at)s,"
        " archived_decided_at = %(at)s, starred_at = NULL, starred_decided_at = %(at)s, own_title = 'Here',"
        " title_decided_at = %(at)s, note = 'Here', note_decided_at = %(at)s", {"at": decided_on_target},
    )  # fmt: skip
    target.connection.commit()

    def decide(records: list[Record]) -> list[Record]:
        article = the_article(records)
        article["entry"] |= state(LATE, decided)
        return [article]

    restored = target.restore(edit_records(path, decide), target.user(user))

    is_later = decided == LATE
    assert restored == (RestoreCounts(merged=1) if is_later else RestoreCounts(unchanged=1))
    with_change = [row for row in target.view(user)["entries"] if row["own_title"] != "Here"]
    assert len(with_change) == int(is_later)
    for row in with_change:
        assert (row["own_title"], row["note"], row["archived_at"]) == (LATE, LATE, None)
        assert row["read_at"].isoformat() == row["starred_at"].isoformat() == LATE
        assert row["is_archived"] is False


def test_tags_that_were_taken_away_later_stay_away(used: tuple[UUID, Path], target: Server) -> None:
    user, path = used
    target.connection.execute("UPDATE entry_tags SET is_set = NOT is_set, decided_at = now()")
    target.connection.commit()
    before = target.view(user)
    assert target.restore(path, target.user(user)) == RestoreCounts(unchanged=10)
    assert_equal(target.view(user), before)


def test_highlights_join_part_by_part(used: tuple[UUID, Path], target: Server) -> None:
    user, path = used
    target.connection.execute(
        "UPDATE highlights SET color = 'pink', color_decided_at = %s, note = 'Old', note_decided_at = %s, words = ''"
        " WHERE deleted_at IS NULL", [LATE, EARLY],
    )  # fmt: skip
    target.connection.commit()

    def decide(records: list[Record]) -> None:
        for record in records:
            for highlight in record["highlights"]:
                highlight |= {"color": "green", "color_decided_at": EARLY, "note": "New", "note_decided_at": LATE}

    target.restore(edit_records(path, decide), target.user(user))

    rows = target.connection.execute(
        "SELECT DISTINCT color, note, version IS NOT NULL, words @@ 'new'::tsquery FROM highlights"
        " WHERE deleted_at IS NULL"
    ).fetchall()
    assert rows == [("pink", "New", True, True)]


def test_a_highlight_that_was_deleted_later_stays_deleted(used: tuple[UUID, Path], target: Server) -> None:
    user, path = used
    target.connection.execute("UPDATE highlights SET deleted_at = now(), deletion_decided_at = now()")
    target.connection.commit()
    target.restore(path, target.user(user))
    assert target.connection.execute("SELECT count(*) FROM highlights WHERE deleted_at IS NULL").fetchone() == (0,)


def test_positions_go_forward_only(used: tuple[UUID, Path], target: Server) -> None:
    user, path = used
    target.connection.execute("UPDATE positions SET text_at = now(), fraction = 0.9")
    target.connection.commit()
    target.restore(path, target.user(user))
    assert target.connection.execute("SELECT DISTINCT fraction FROM positions").fetchall() == [(0.9,)]


def test_a_page_that_the_user_has_is_not_there_twice(used: tuple[UUID, Path], target: Server) -> None:
    """A page that was saved on both servers has two ids."""
    user, path = used
    before = target.view(user)

    def rename(records: list[Record]) -> list[Record]:
        article = the_article(records)
        article["media"]["id"] = "00000000-0000-4000-8000-000000000001"
        return [article]

    assert target.restore(edit_records(path, rename), target.user(user)) == RestoreCounts(merged=0, unchanged=1)
    after = target.view(user)
    assert after["entries"] == before["entries"]
    assert len(after["aliases"]) == len(before["aliases"]) + 1


class StoppedError(Exception):
    pass


def test_stopped_at_any_batch_it_goes_on(
    source: Server, target: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The progress of a batch is committed with it, so a killed process is no different."""
    monkeypatch.setattr(restore, "BATCH_RECORDS", 2)
    maker = source.maker(seed=4)
    fill_library(maker)
    path = source.save_archive(maker.user, tmp_path)
    user = target.user(maker.user)
    done = 0

    def stop_after_one(session: Session, outcomes: Sequence[Outcome]) -> None:
        nonlocal done
        if stop_after_one.calls:  # type: ignore[attr-defined]
            raise StoppedError
        stop_after_one.calls = 1  # type: ignore[attr-defined]
        done = max(outcome.number for outcome in outcomes)

    for _ in range(4):
        stop_after_one.calls = 0  # type: ignore[attr-defined]
        with pytest.raises(StoppedError):
            target.restore(path, user, after=done, on_batch=stop_after_one)
    assert done == 8
    assert target.restore(path, user, after=done) == RestoreCounts(added=2)
    assert_equal(target.view(maker.user), source.view(maker.user))
