"""How much of originals and pictures a restore keeps for a user."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest

from nexus.errors import ProcessPoolError
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.incoming_blobs import IncomingBlobs
from nexus.services.archives.records import read_record
from nexus.text.process_pool import ProcessPool
from tests.archives.conftest import Server


def test_no_more_is_kept_than_the_user_may_have(archive: Path, target: Server, user: UUID) -> None:
    target.restore(archive, target.user(user), original_bytes=0)
    found = target.connection.execute("SELECT DISTINCT missing FROM originals ORDER BY 1").fetchall()
    assert found == [("too_large",), ("user_full",)]


def test_no_more_pictures_are_kept_than_the_user_may_have(archive: Path, target: Server, user: UUID) -> None:
    target.restore(archive, target.user(user), picture_bytes=1)
    assert kept_pictures(target) == 0


def test_a_picture_limit_of_zero_is_none(archive: Path, target: Server, user: UUID) -> None:
    target.restore(archive, target.user(user), picture_bytes=0)
    assert kept_pictures(target) > 0


def test_pictures_on_another_account_take_no_room(archive: Path, target: Server, user: UUID) -> None:
    """A shared text's pictures count for the user who saved it first, in a worker and in a restore."""
    other = target.maker()
    article = other.add_article()
    target.connection.execute(
        "UPDATE media_images SET user_id = %s, state = 'kept', sha256 = %s, size = 1 << 30, content_type = 'image/png',"
        " width = 1, height = 1, reason = NULL, due_at = NULL, settled_at = now()",
        [other.user, other.put(b"a picture").sha256],
    )
    target.connection.commit()
    before = kept_pictures(target)
    library = target.user(user).default_library_id
    target.connection.execute("INSERT INTO library_media (library_id, media_id) VALUES (%s, %s)", [library, article])
    target.connection.commit()
    target.restore(archive, target.user(user), picture_bytes=1 << 29)
    assert kept_pictures(target) > before


def test_pictures_of_texts_that_others_saved_first_take_no_room(source: Server, target: Server, tmp_path: Path) -> None:
    """A restore that is interrupted loads what the user has: it would not find them there."""
    maker, other = source.maker(), source.maker(seed=2)
    for user_id in [maker.user, other.user] * 5:
        maker.add_entry(maker.add_article(created_by_user_id=user_id))
    maker.finish()
    target.restore(source.save_archive(maker.user, tmp_path), target.user(maker.user), picture_bytes=1)
    kept_by = target.connection.execute("SELECT DISTINCT user_id FROM media_images WHERE state = 'kept'").fetchall()
    assert kept_by == [(None,)]


def test_pictures_are_not_dropped_while_the_worker_stops(archive: Path, target: Server) -> None:
    pool = ProcessPool(workers=1)
    pool.close()
    with ArchiveFile(archive) as file, ThreadPoolExecutor(1) as threads:
        lines = [read_record(each.content, number=each.number, part=each.part) for each in file.media_lines()]
        with pytest.raises(ProcessPoolError, match="closed"):
            IncomingBlobs(file, target.store, pool, threads).put(lines)


def kept_pictures(server: Server) -> int:
    found = server.connection.execute("SELECT count(*) FROM media_images WHERE state = 'kept'").fetchone()
    assert found is not None
    return int(found[0])
