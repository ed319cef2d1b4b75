"""Where others use the same server: nobody gets what somebody restored, and no archive has what is another user's."""

import json
from pathlib import Path
from uuid import UUID, uuid4
from zipfile import ZipFile

from nexus.services.archives.outcomes import Outcome
from nexus.store import Blob
from tests.archives.conftest import Server
from tests.archives.forged_archives import Record, edit_records, the_article
from tests.archives.libraries import LibraryMaker, fill_library
from tests.archives.whole_restore import RestoreCounts
from tests.factories import insert
from tests.lifecycle_steps import LifecycleSteps

URL = "https://example.org/page"


def one_article(maker: LibraryMaker, **values: object) -> UUID:
    media = maker.add_article(canonical_url=URL, **values)
    maker.add_item(media)
    maker.add_entry(media)
    maker.finish()
    return media


def test_a_restored_page_is_private_where_there_are_others(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    one_article(maker)
    path = source.save_archive(maker.user, tmp_path)
    target.maker(seed=99).add_unread("queued")
    target.connection.commit()

    outcomes: list[Outcome] = []
    target.restore(path, target.user(maker.user), on_batch=lambda _, some: outcomes.extend(some))

    owner, canonical, requested = only(target, "SELECT owner_user_id, canonical_url, requested_url FROM media"
                                              " WHERE processing_status = 'ready_for_reading'")  # fmt: skip
    assert (owner, canonical) == (maker.user, None)
    assert str(requested).startswith("https://example.org/")
    assert "for you alone" in (outcomes[0].message or "")
    mine, before = target.view(maker.user), source.view(maker.user)
    for table in before.keys() - {"media", "entries", "media_times"}:
        assert mine[table] == before[table], table


def test_it_is_private_unless_the_operator_restores_it(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    one_article(maker)
    path = source.save_archive(maker.user, tmp_path)
    target.restore(path, target.user(maker.user, is_operator=False))
    assert only(target, "SELECT owner_user_id, canonical_url FROM media") == (maker.user, None)


def test_what_is_not_read_yet_brings_no_text_for_others(source: Server, target: Server, tmp_path: Path) -> None:
    """A waiting link becomes the page of everybody who saves it: nothing in it may come from the archive."""
    maker = source.maker()
    one_article(maker)

    def wait(records: list[Record]) -> None:
        record = the_article(records)
        record["media"] |= {"processing_status": "pending", "processing_completed_at": None, "current_version": None}
        record["items"][-1] |= {"status": "queued", "final_text_source": None}
        assert record["versions"]
        assert record["pictures"]

    path = edit_records(source.save_archive(maker.user, tmp_path), wait)
    target.restore(path, target.user(maker.user, is_operator=False))
    assert only(target, "SELECT owner_user_id, processing_status FROM media") == (None, "pending")
    for table in ("media_versions", "fragments", "media_images", "originals"):
        assert target.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_the_id_of_a_waiting_page_leads_to_what_it_is_merged_with(
    source: Server, target: Server, tmp_path: Path
) -> None:
    """Somebody else has the id here, so the page waits under another one. When it is read, others have it already."""
    maker = source.maker()
    media = maker.add_unread("queued")
    maker.add_entry(media)
    maker.finish()
    path = source.save_archive(maker.user, tmp_path)
    target.restore(path, target.user(uuid4()))
    target.restore(path, target.user(maker.user))

    steps = LifecycleSteps(target.database, target.connection)
    page = steps.succeed_item(steps.save(steps.user(), URL), canonical_url=URL)
    (item,) = steps.row("SELECT id FROM items WHERE user_id = :p0", maker.user)
    waiting = steps.merge_item(item, page)
    leads_to = "SELECT media_id FROM media_aliases WHERE alias_id = :p0 AND user_id = :p1"
    assert [steps.row(leads_to, each, maker.user) for each in (media, waiting)] == [(page,), (page,)]


def test_the_same_text_is_shared(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    one_article(maker)
    path = source.save_archive(maker.user, tmp_path)
    other = uuid4()
    target.restore(path, target.user(other))
    theirs = target.view(other)

    def rename(records: list[Record]) -> None:
        the_article(records)["media"]["id"] = str(uuid4())

    renamed = edit_records(path, rename)
    assert target.restore(renamed, target.user(maker.user, is_operator=False)) == RestoreCounts(added=1)

    assert target.view(other) == theirs
    assert [row["canonical_url"] for row in target.view(maker.user)["media"]] == [URL]
    assert target.connection.execute("SELECT count(*) FROM media").fetchone() == (1,)
    assert target.restore(renamed, target.user(maker.user, is_operator=False)) == RestoreCounts(unchanged=1)


def test_another_text_of_a_page_changes_nothing_for_others(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    one_article(maker)
    path = source.save_archive(maker.user, tmp_path)
    others = target.maker(seed=9)
    one_article(others)
    theirs = target.view(others.user)
    target.restore(path, target.user(maker.user))
    assert target.view(others.user) == theirs
    assert [row["is_own"] for row in target.view(maker.user)["media"]] == [True]


def test_an_episode_becomes_an_article_of_ones_own(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    maker.add_entry(maker.add_episode())
    maker.finish()
    path = source.save_archive(maker.user, tmp_path)
    target.maker(seed=99).add_unread("queued")
    target.connection.commit()
    assert target.restore(path, target.user(maker.user)) == RestoreCounts(added=1)
    ready = "WHERE processing_status = 'ready_for_reading'"
    assert only(target, f"SELECT kind, owner_user_id FROM media {ready}") == ("web_article", maker.user)
    assert target.connection.execute("SELECT count(*) FROM podcasts").fetchone() == (0,)
    assert target.view(maker.user)["highlights"] == source.view(maker.user)["highlights"]


def test_an_archive_has_nothing_of_other_users(source: Server, tmp_path: Path) -> None:
    """Two users have the page; the first one's link was personal, and so is the original it gave."""
    first = source.maker(seed=1)
    media = one_article(first, requested_url="https://example.org/page?token=of-the-first")
    source.connection.execute("DELETE FROM originals")
    mine = source.maker(seed=2)
    blob = mine.put(b"what the first one's link gave")
    name_original(source, media, 1, blob, first.user)
    mine.add_item(media)
    mine.add_entry(media)
    mine.finish()
    added = "SELECT created_at FROM library_media WHERE library_id = %s"
    row = source.connection.execute(added, [mine.library]).fetchone()
    path = source.save_archive(mine.user, tmp_path)

    with ZipFile(path) as file:
        everything = b"".join(file.read(name) for name in file.namelist())
        record = json.loads(file.read("media/000001.jsonl"))
    assert b"of-the-first" not in everything
    assert str(first.user).encode() not in everything
    assert str(first.library).encode() not in everything
    assert blob.sha256.hex().encode() not in everything
    assert all(str(item["id"]).encode() not in everything for item in source.view(first.user)["items"])
    assert all(str(each["id"]).encode() not in everything for each in source.view(first.user)["highlights"])
    assert row is not None
    for name in ("created_at", "updated_at", "processing_completed_at"):
        assert record["media"][name] >= row[0].isoformat().replace("+00:00", "")[:19], name


def test_only_what_was_chosen(source: Server, target: Server, tmp_path: Path) -> None:
    maker = source.maker()
    fill_library(maker)
    chosen = [row["media_id"] for row in source.view(maker.user)["entries"]][:2]
    path = tmp_path / "some.zip"
    path.write_bytes(source.archive(maker.user, media_ids=chosen))
    assert target.restore(path, target.user(maker.user)) == RestoreCounts(added=2)
    after = target.view(maker.user)
    assert [row["media_id"] for row in after["entries"]] == chosen
    used = {row["tag_id"] for row in after["entry tags"]} | {row["tag_id"] for row in after["highlight tags"]}
    assert used <= {row["id"] for row in after["tags"]} <= {row["id"] for row in source.view(maker.user)["tags"]}
    assert (after["saved searches"], after["removed episodes"]) == ([], [])


def test_a_blob_that_is_missing_is_named(source: Server, tmp_path: Path) -> None:
    maker = source.maker()
    media = one_article(maker)
    source.connection.execute("DELETE FROM originals")
    blob = maker.put(b"soon gone")
    name_original(source, media, 1, blob, maker.user)
    source.connection.commit()
    source.store.backend.delete(blob.sha256)
    with ZipFile(source.save_archive(maker.user, tmp_path)) as file:
        said = json.loads(file.read("manifest.json"))
        listed = file.read("blobs.jsonl").decode()
    assert said["missing_blobs"] == [{"sha256": blob.sha256.hex(), "problem": "blob_missing"}]
    assert blob.sha256.hex() in listed


def name_original(source: Server, media: UUID, version: int, blob: Blob, user: UUID) -> None:
    insert(
        source.connection, "originals", media_id=media, version=version, sha256=blob.sha256, size=blob.size,
        read_with=1, fetched_for=user, is_direct=False,
    )  # fmt: skip


def only(server: Server, query: str) -> tuple[object, ...]:
    [row] = server.connection.execute(query).fetchall()
    found: tuple[object, ...] = row
    return found
