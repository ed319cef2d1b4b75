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
from tests.archives.whole_restore import RestoreCounts
from tests.lifecycle_steps import LifecycleSteps


def test_a_library_is_equal_on_an_empty_server(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    fill_library(maker)
    path = source.save_archive(maker.user, tmp_path)

    restored = target.restore(path, target.user(maker.user))

    assert restored == RestoreCounts(added=10)
    before = source.view(maker.user)
    assert all(before.values()), "an empty table proves nothing"
    assert_equal(target.view(maker.user), before)
    assert_same_bytes(source, target)


KINDS = st.lists(st.sampled_from(["article", "paste", "episode", "queued", "needs_user_text", "failed"]), max_size=7)


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), kinds=KINDS)
def test_any_library_is_equal_on_an_empty_server(
    servers: tuple[Server, Server], tmp_path_factory: pytest.TempPathFactory, seed: int, kinds: list[str]
) -> None:
    source, target = servers
    try:
        maker = source.maker(seed=seed)
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
        path = source.save_archive(maker.user, tmp_path_factory.mktemp("archive"))
        restored = target.restore(path, target.user(maker.user))
        assert restored == RestoreCounts(added=len(kinds))
        assert_equal(target.view(maker.user), source.view(maker.user))
    finally:
        source.clear()
        target.clear()


def test_an_archive_of_the_restored_library_is_the_same(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    fill_library(maker, size=1)
    first = source.save_archive(maker.user, tmp_path)
    target.restore(first, target.user(maker.user))
    second = target.save_archive(maker.user, tmp_path)
    for name in ("media/000001.jsonl", "tags.jsonl", "saved_searches.jsonl", "aliases.jsonl", "reviews.jsonl"):
        assert read_lines(second, name) == read_lines(first, name), name


def test_restoring_twice_adds_nothing(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    fill_library(maker)
    path = source.save_archive(maker.user, tmp_path)
    user = target.user(maker.user)
    target.restore(path, user)
    once = target.view(maker.user)

    again = target.restore(path, user)

    assert again == RestoreCounts(unchanged=10)
    assert_equal(target.view(maker.user), once)


def test_restoring_where_it_came_from_changes_nothing(source: Server, tmp_path: Path) -> None:
    maker = source.maker()
    fill_library(maker)
    path = source.save_archive(maker.user, tmp_path)
    before = source.view(maker.user)
    assert source.restore(path, source.user(maker.user)) == RestoreCounts(unchanged=10)
    assert_equal(source.view(maker.user), before)


def test_another_user_gets_an_equal_library(source: Server, target: Server, tmp_path: Path) -> None:
    """A new server has new user ids."""
    maker = source.maker()
    fill_library(maker, size=1)
    path = source.save_archive(maker.user, tmp_path)
    other = uuid4()
    target.restore(path, target.user(other))
    assert_equal(target.view(other), source.view(maker.user))


def test_a_page_saved_from_a_browser_stays_one(source: Server, target: Server, tmp_path: Path) -> None:
    """Others use the server, too: the page stays private. Captured again, it is found by the key of its page."""
    maker = source.maker()
    maker.add_entry(maker.add_capture())
    maker.finish()
    path = source.save_archive(maker.user, tmp_path)
    target.maker(seed=99).add_unread("queued")
    target.connection.commit()
    assert target.restore(path, target.user(maker.user, is_operator=False)) == RestoreCounts(added=1)
    assert_equal(target.view(maker.user), source.view(maker.user))


def test_a_page_that_was_saved_from_a_browser_on_both_servers_is_one(
    source: Server, target: Server, tmp_path: Path
) -> None:
    """It has two ids; its states are merged, as with a page that was fetched on both servers."""
    makers = [source.maker(seed=1), target.maker(seed=2)]
    for maker in makers:
        maker.add_entry(maker.add_capture(url="https://example.org/both"))
        maker.finish()
    user = makers[1].user
    before = target.view(user)
    path = source.save_archive(makers[0].user, tmp_path)
    restored = target.restore(path, target.user(user))
    assert (restored.added, restored.merged, restored.failed) == (0, 1, 0)
    after = target.view(user)
    assert [row["id"] for row in after["media"]] == [row["id"] for row in before["media"]]
    assert len(after["items"]) == 2
    assert [row["alias_id"] for row in after["aliases"]] == [row["id"] for row in source.view(makers[0].user)["media"]]
    assert target.restore(path, target.user(user)) == RestoreCounts(unchanged=1)


def test_what_is_being_fetched_waits_again(source: Server, target: Server, tmp_path: Path) -> None:
    maker: LibraryMaker = source.maker()
    media = maker.add_unread("queued")
    maker.add_entry(media)
    maker.finish()
    LifecycleSteps(source.database, source.connection).claim_one()
    path = source.save_archive(maker.user, tmp_path)
    target.restore(path, target.user(maker.user))
    found = target.connection.execute(
        "SELECT items.status, attempts, claimed_by, priority, processing_status FROM items, media"
    ).fetchall()
    assert found == [("queued", 1, None, 1, "pending")]


def assert_equal(after: View, before: View) -> None:
    for table, rows in before.items():
        assert after[table] == rows, table


def assert_same_bytes(source: Server, target: Server) -> None:
    """Compares every blob that the restored rows name, and originals that had not reached the store."""
    named = "SELECT sha256 FROM originals UNION SELECT sha256 FROM media_images UNION SELECT sha256 FROM media_audio"
    hashes = {bytes(row[0]) for row in target.connection.execute(named) if row[0] is not None}
    query = "SELECT sha256(content), content FROM originals WHERE content IS NOT NULL"
    waiting: dict[bytes, bytes] = dict(source.connection.execute(query).fetchall())
    assert waiting
    assert len(hashes) > len(waiting)
    for sha256 in hashes:
        expected = waiting.get(sha256) or source.store.read_bytes(sha256)
        assert target.store.read_bytes(sha256) == expected


def read_lines(path: Path, name: str) -> list[bytes]:
    with ZipFile(path) as file:
        return file.read(name).splitlines()
