"""Originals wait in the database and are moved into the store once, whatever is killed, absent or full meanwhile."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import StoreUnavailableError
from nexus.services.originals import quota
from nexus.services.originals.pending_originals import (
    COUNTS,
    MAX_WAITING_BYTES,
    NewOriginal,
    OriginalCounts,
    add_originals,
    claim_waiting,
    count_originals,
    settle_waiting,
)
from nexus.text.originals.original_file import Original
from nexus.worker import original_mover
from tests.originals.saved_originals import SavedOriginals
from tests.processes import plain_url


def test_an_original_waits_until_it_is_moved_and_comes_out_as_it_went_in(saved: SavedOriginals) -> None:
    media = saved.save(b"<p>Word for word.</p>")
    assert (saved.state(media), saved.blobs()) == ("waiting", 0)
    saved.move_all()
    assert (saved.state(media), saved.content(media)) == ("kept", b"<p>Word for word.</p>")


def test_the_same_page_is_one_blob_and_an_unchanged_reading_stores_nothing(saved: SavedOriginals) -> None:
    url = "https://example.org/same"
    first, second = saved.save(b"<p>The same.</p>", url=url), saved.save(b"<p>The same.</p>", url=url)
    assert first == second
    assert saved.steps.row("SELECT count(*) FROM originals") == (1,)
    saved.move_all()
    kept = saved.steps.save(saved.steps.user(), "https://example.org/elsewhere")
    saved.steps.succeed(saved.steps.claim_one(), saved.page(b"<p>The same.</p>", url=url))
    assert saved.steps.media_of(kept) == first
    saved.move_all()
    assert saved.blobs() == 1


def test_a_text_that_is_kept_though_short_has_its_original_too(saved: SavedOriginals) -> None:
    steps = saved.steps
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), saved.page(b"<p>Short.</p>", words="Short."))
    shared = steps.media_of(item)
    steps.keep(user, item)
    own = steps.media_of(item)
    assert own != shared
    saved.move_all()
    assert saved.content(own) == b"<p>Short.</p>"


def test_originals_are_urgent_before_their_room_is_full(saved: SavedOriginals, monkeypatch: pytest.MonkeyPatch) -> None:
    assert original_mover.URGENT_BYTES < MAX_WAITING_BYTES / 4
    monkeypatch.setattr(original_mover, "POLL_SECONDS", 0.0)
    mover = saved.mover()
    saved.save(b"<p>One.</p>")
    assert not mover.is_urgent()
    monkeypatch.setattr(original_mover, "URGENT_BYTES", 10)
    assert mover.is_urgent()
    saved.move_all()
    assert not mover.is_urgent()


def test_what_is_removed_while_it_waits_is_gone(saved: SavedOriginals) -> None:
    user = saved.steps.user()
    item = saved.steps.save(user)
    saved.steps.succeed(saved.steps.claim_one(), saved.page(b"<p>Gone.</p>"))
    saved.steps.remove(user, item)
    saved.move_all()
    assert saved.steps.row("SELECT count(*) FROM originals") == (0,)
    assert saved.blobs() == 0


def test_while_the_store_is_absent_originals_wait_and_texts_do_not(saved: SavedOriginals, folder: Path) -> None:
    saved.save()
    saved.move_all()
    folder.rename(folder.with_suffix(".away"))
    later = saved.save(b"<p>Later.</p>")
    assert saved.steps.row("SELECT processing_status FROM media WHERE id = :p0", later) == ("ready_for_reading",)
    with pytest.raises(StoreUnavailableError):
        saved.move_all()
    assert saved.state(later) == "waiting"
    folder.with_suffix(".away").rename(folder)
    saved.make_due()
    saved.move_all()
    assert saved.content(later) == b"<p>Later.</p>"


def test_what_was_stored_before_the_store_failed_is_named(
    saved: SavedOriginals, monkeypatch: pytest.MonkeyPatch
) -> None:
    media = [saved.save(f"<p>{number}</p>".encode()) for number in range(3)]
    put, left = saved.store.put, [2]

    def put_two(content: bytes) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise StoreUnavailableError("It is away.")
        return put(content)

    monkeypatch.setattr(saved.store, "put", put_two)
    with pytest.raises(StoreUnavailableError):
        saved.move_all()
    assert sorted(saved.state(each) for each in media) == ["kept", "kept", "waiting"]


def test_no_more_than_a_bound_waits_in_the_database(saved: SavedOriginals) -> None:
    first, second = saved.save(), saved.save(b"<p>Another.</p>")
    with saved.steps.session() as session:
        session.connection().exec_driver_sql("DELETE FROM originals")
        add_originals(session, [NewOriginal(first, 1, Original(b"x" * 100), None, is_direct=True)], max_waiting=100)
        add_originals(session, [NewOriginal(second, 1, Original(b"y"), None, is_direct=True)], max_waiting=100)
        assert count_originals(session) == OriginalCounts(1, 100, 0, 0, 1)
    assert [saved.state(each) for each in (first, second)] == ["waiting", "waiting_full"]


def test_a_page_over_the_limit_says_so(saved: SavedOriginals) -> None:
    item = saved.steps.save(saved.steps.user())
    page = replace(saved.page(b""), original=Original(None, "too_large"))
    saved.steps.succeed(saved.steps.claim_one(), page)
    assert saved.state(saved.steps.media_of(item)) == "too_large"


def test_a_user_who_has_enough_gets_no_more_unless_another_has_room(saved: SavedOriginals) -> None:
    alice, bob = saved.steps.user(), saved.steps.user()
    first = saved.save(os.urandom(1000), user=alice)
    saved.move_all(user_bytes=1500)
    second = saved.save(os.urandom(1000), user=alice)
    url = "https://example.org/both"
    shared = saved.save(os.urandom(1000), user=alice, url=url)
    saved.save(b"", user=bob, url=url)
    saved.move_all(user_bytes=1500)
    assert [saved.state(each) for each in (first, second, shared)] == ["kept", "user_full", "kept"]
    with saved.steps.session() as session:
        assert count_originals(session).user_full == 1


def test_one_user_with_room_is_enough(saved: SavedOriginals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of users may have a text: their usage is not summed up, and a full cache drops one user, not all."""
    url = "https://example.org/many"
    media = saved.save(b"page", user=saved.steps.user(), url=url)
    for _ in range(5):
        saved.save(b"", user=saved.steps.user(), url=url)
    sums = list[object]()
    with saved.steps.session() as session:
        roomy = quota.OriginalQuota(1000)
        find = roomy._usage

        def find_and_note(session: Session, user_id: UUID) -> object:
            sums.append(user_id)
            return find(session, user_id)

        monkeypatch.setattr(roomy, "_usage", find_and_note)
        assert [roomy.admits(session, media, 400) for _ in range(2)] == [True, True]
        assert len(set(sums)) == 1
        assert roomy.admits(session, media, 400)  # the first user has no room left, another has
        assert len(set(sums)) == 2
        monkeypatch.setattr(quota, "MAX_KNOWN_USERS", 3)
        tight = quota.OriginalQuota(-1)
        assert not tight.admits(session, media, 1)
        assert len(tight._known) == 3


def test_mover_that_is_late_leaves_what_waits_since(saved: SavedOriginals) -> None:
    """Another worker moved the original of a personal link; since then one of the public page waits."""
    page = "https://example.org/public"
    item = saved.steps.save(saved.steps.user(), "https://example.org/r?token=alice")
    saved.steps.succeed(saved.steps.claim_one(), saved.page(b"personal", url=page))
    media = saved.steps.media_of(item)
    with saved.steps.session() as session:
        (late,) = claim_waiting(session, limit=1)
    saved.make_due()
    saved.move_all()
    assert saved.content(media) == b"personal"
    assert saved.save(b"public", url=page) == media
    with saved.steps.session() as session:
        settle_waiting(session, [(late, saved.store.put(late.content))])
    assert saved.state(media) == "waiting"
    saved.move_all()
    assert saved.content(media) == b"public"


def test_counts_read_only_what_is_not_stored(saved: SavedOriginals) -> None:
    with saved.steps.session() as session:
        session.execute(text("SET LOCAL enable_seqscan = off"))
        plan = "\n".join(session.scalars(text(f"EXPLAIN {COUNTS.text}")))
    assert "ix_originals_not_stored" in plan


KILLED = """
import os, signal, sys
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.originals import pending_originals
from nexus.store import open_store
from nexus.worker import original_mover as mover
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def killing(function, before):
    def call(*arguments, **options):
        if before:
            die()
        result = function(*arguments, **options)
        die()
        return result
    return call
point, url, folder = sys.argv[1:]
settings = load_settings(database_url=url, store=f"file:{folder}", data_dir=folder)
database = Database(settings)
store = open_store(settings, database)
if point == "after the claim":
    store.put = killing(store.put, True)
elif point == "after the blob":
    store.put = killing(store.put, False)
elif point == "before the commit":
    mover.settle_waiting = killing(pending_originals.settle_waiting, False)
task = mover.OriginalMover(database, store, user_bytes=10**9)
task.step()
die()
"""
POINTS = {
    "after the claim": ("waiting", 0),
    "after the blob": ("waiting", 1),
    "before the commit": ("waiting", 1),
    "after the commit": ("kept", 1),
}


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_point_it_loses_nothing(saved: SavedOriginals, folder: Path, point: str) -> None:
    media = saved.save(b"<p>Not lost.</p>")
    url = plain_url(saved.steps.database.url)
    killed = subprocess.run([sys.executable, "-c", KILLED, point, url, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (saved.state(media), saved.blobs()) == POINTS[point]
    saved.move_all()  # it is another worker's only after a minute
    assert saved.state(media) == POINTS[point][0]
    saved.make_due()
    saved.move_all()
    assert (saved.content(media), saved.blobs()) == (b"<p>Not lost.</p>", 1)
