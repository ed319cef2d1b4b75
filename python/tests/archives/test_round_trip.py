"""What was archived and restored on an empty server is the same library, compared row by row."""

from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.archives.conftest import Server
from tests.archives.libraries import LibraryMaker, fill_library
from tests.archives.library_view import View
from tests.archives.whole_restore import Restored
from tests.lifecycle_steps import LifecycleSteps


def test_a_library_is_equal_on_an_empty_server(here: Server, there: Server, tmp_path: Path) -> None:
    maker = here.maker()
    fill_library(maker)
    path = here.save_archive(maker.user, tmp_path)

    restored = there.restore(path, there.user(maker.user))

    assert restored == Restored(added=10)
    before = here.view(maker.user)
    assert all(before.values()), "an empty table proves nothing"
    assert_equal(there.view(maker.user), before)
    assert_same_bytes(here, there)


KINDS = st.lists(st.sampled_from(["article", "paste", "episode", "queued", "needs_user_text", "failed"]), max_size=7)


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), kinds=KINDS)
def test_any_library_is_equal_on_an_empty_server(
    servers: tuple[Server, Server], tmp_path_factory: pytest.TempPathFactory, seed: int, kinds: list[str]
) -> None:
    here, there = servers
    try:
        maker = here.maker(seed=seed)
        maker.add_tags(3)
        for kind in kinds:
            if kind == "article":
                media = maker.add_article()
                maker.add_item(media)
            elif kind == "paste":
                media = maker.add_paste()
            elif kind == "episode":
                media = maker.add_episode()
            else:
                media = maker.add_unread(kind)
            maker.add_entry(media)
        maker.finish()
        path = here.save_archive(maker.user, tmp_path_factory.mktemp("archive"))
        restored = there.restore(path, there.user(maker.user))
        assert restored == Restored(added=len(kinds))
        assert_equal(there.view(maker.user), here.view(maker.user))
    finally:
        here.clear()
        there.clear()


def test_an_archive_of_the_restored_library_is_the_same(here: Server, there: Server, tmp_path: Path) -> None:
    maker = here.maker()
    fill_library(maker, size=1)
    first = here.save_archive(maker.user, tmp_path)
    there.restore(first, there.user(maker.user))
    second = there.save_archive(maker.user, tmp_path)
    for name in ("media/000001.jsonl", "tags.jsonl", "saved_searches.jsonl", "aliases.jsonl", "reviews.jsonl"):
        assert read_lines(second, name) == read_lines(first, name), name


def test_restoring_twice_adds_nothing(here: Server, there: Server, tmp_path: Path) -> None:
    maker = here.maker()
    fill_library(maker)
    path = here.save_archive(maker.user, tmp_path)
    user = there.user(maker.user)
    there.restore(path, user)
    once = there.view(maker.user)

    again = there.restore(path, user)

    assert again == Restored(unchanged=10)
    assert_equal(there.view(maker.user), once)


def test_restoring_where_it_came_from_changes_nothing(here: Server, tmp_path: Path) -> None:
    maker = here.maker()
    fill_library(maker)
    path = here.save_archive(maker.user, tmp_path)
    before = here.view(maker.user)
    assert here.restore(path, here.user(maker.user)) == Restored(unchanged=10)
    assert_equal(here.view(maker.user), before)


def test_another_user_gets_an_equal_library(here: Server, there: Server, tmp_path: Path) -> None:
    """A new server has new user ids."""
    maker = here.maker()
    fill_library(maker, size=1)
    path = here.save_archive(maker.user, tmp_path)
    other = uuid4()
    there.restore(path, there.user(other))
    assert_equal(there.view(other), here.view(maker.user))


def test_a_page_saved_from_a_browser_stays_one(here: Server, there: Server, tmp_path: Path) -> None:
    """Where others use the server, too: it was private before. Captured again, it is found by the key of its page."""
    maker = here.maker()
    maker.add_entry(maker.add_capture())
    maker.finish()
    path = here.save_archive(maker.user, tmp_path)
    there.maker(seed=99).add_unread("queued")
    there.connection.commit()
    assert there.restore(path, there.user(maker.user, is_operator=False)) == Restored(added=1)
    assert_equal(there.view(maker.user), here.view(maker.user))


def test_a_page_that_was_saved_from_a_browser_on_both_servers_is_one(
    here: Server, there: Server, tmp_path: Path
) -> None:
    """It has two ids; what was decided about it is joined, as with a page that was fetched on both."""
    makers = [here.maker(seed=1), there.maker(seed=2)]
    for maker in makers:
        maker.add_entry(maker.add_capture(url="https://example.org/both"))
        maker.finish()
    user = makers[1].user
    before = there.view(user)
    path = here.save_archive(makers[0].user, tmp_path)
    restored = there.restore(path, there.user(user))
    assert (restored.added, restored.merged, restored.failed) == (0, 1, 0)
    after = there.view(user)
    assert [row["id"] for row in after["media"]] == [row["id"] for row in before["media"]]
    assert len(after["items"]) == 2
    assert [row["alias_id"] for row in after["aliases"]] == [row["id"] for row in here.view(makers[0].user)["media"]]
    assert there.restore(path, there.user(user)) == Restored(unchanged=1)


def test_what_is_being_fetched_waits_again(here: Server, there: Server, tmp_path: Path) -> None:
    maker: LibraryMaker = here.maker()
    media = maker.add_unread("queued")
    maker.add_entry(media)
    maker.finish()
    LifecycleSteps(here.database, here.connection).claim_one()
    path = here.save_archive(maker.user, tmp_path)
    there.restore(path, there.user(maker.user))
    found = there.connection.execute(
        "SELECT items.status, attempts, claimed_by, priority, processing_status FROM items, media"
    ).fetchall()
    assert found == [("queued", 1, None, 1, "pending")]


def assert_equal(after: View, before: View) -> None:
    for table, rows in before.items():
        assert after[table] == rows, table


def assert_same_bytes(here: Server, there: Server) -> None:
    """Of every blob that the restored rows name, and of originals that had not reached the store."""
    named = "SELECT sha256 FROM originals UNION SELECT sha256 FROM media_images UNION SELECT sha256 FROM media_audio"
    hashes = {bytes(row[0]) for row in there.connection.execute(named) if row[0] is not None}
    query = "SELECT sha256(content), content FROM originals WHERE content IS NOT NULL"
    waiting: dict[bytes, bytes] = dict(here.connection.execute(query).fetchall())
    assert waiting
    assert len(hashes) > len(waiting)
    for sha256 in hashes:
        expected = waiting.get(sha256) or here.store.read_bytes(sha256)
        assert there.store.read_bytes(sha256) == expected


def read_lines(path: Path, name: str) -> list[bytes]:
    with ZipFile(path) as file:
        return file.read(name).splitlines()
