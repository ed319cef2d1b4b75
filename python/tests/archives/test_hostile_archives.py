"""Archives that somebody else wrote to do harm."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from nexus.errors import ArchiveError, ArchiveTooNewError
from nexus.services.archives import archive_file, records, restore
from nexus.services.archives.archive_file import ArchiveFile, is_archive
from nexus.services.archives.outcomes import Outcome
from tests.archives.conftest import Server
from tests.archives.forged_archives import PART, Record, edit_members, edit_records, the_article
from tests.archives.whole_restore import RestoreCounts


@pytest.mark.parametrize("content", [b"", b"no ZIP at all", b"PK\x05\x06" + bytes(10)])
def test_what_is_no_zip_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    path.write_bytes(content)
    assert not is_archive(path)
    with pytest.raises(ArchiveError):
        ArchiveFile(path)


def test_a_zip_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    for said in ("{}", '{"format": "other", "version": 1}', "[", "[1]", "NaN"):
        with ZipFile(path, "w") as file:
            file.writestr("manifest.json", said)
        assert not is_archive(path)


def test_one_that_was_cut_off_is_refused(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-1000])
    assert not is_archive(archive)


def test_one_of_a_newer_nexus_says_so(archive: Path) -> None:
    path = edit_members(archive, {}, manifest=lambda said: said.update(version=2))
    assert is_archive(path)
    with pytest.raises(ArchiveTooNewError, match="newer Nexus"):
        ArchiveFile(path)


@pytest.mark.parametrize("value", [10**400, -1, 1.5, float("nan"), float("inf"), True, None, "1", [1]])
@pytest.mark.parametrize("where", [("version",), ("counts", "media"), ("members", 0, "size"), ("members", 0, "lines")])
def test_numbers_that_no_archive_has_are_refused(archive: Path, where: tuple[Any, ...], value: Any) -> None:
    def spoil(said: dict[str, Any]) -> None:
        said["members"].sort(key=lambda member: member["name"] != PART)
        changed: Any = said
        for key in where[:-1]:
            changed = changed[key]
        changed[where[-1]] = value

    path = edit_members(archive, {}, manifest=spoil)
    assert is_archive(path), "it says so"
    with pytest.raises(ArchiveError, match="manifest of the archive cannot be read"):
        ArchiveFile(path)


def test_long_lines_are_read_in_a_process_of_their_own(
    archive: Path, target: Server, user: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line may have 96 MB, from which JSON can make gigabytes of objects."""

    def refuse(*_: object) -> None:
        raise AssertionError("a long line was read in the worker")

    monkeypatch.setattr(restore, "SMALL_LINE_BYTES", 10)
    monkeypatch.setattr(records, "read_row", refuse)
    with_list = edit_members(archive, {PART: lambda part: b"[" + b"[]," * 50_000 + b"[]]\n" + part})
    assert target.restore(with_list, target.user(user)) == RestoreCounts(added=10, failed=1)


def test_a_changed_part_is_refused(archive: Path, target: Server, user: UUID) -> None:
    path = edit_members(archive, {PART: lambda part: part.replace(b"harbour", b"harbor")}, with_hashes=False)
    with pytest.raises(ArchiveError, match="damaged"):
        target.restore(path, target.user(user))
    assert target.view(user)["entries"] == []


def test_a_missing_part_is_refused(archive: Path, target: Server, user: UUID) -> None:
    path = edit_members(archive, {PART: lambda _: None})
    with pytest.raises(ArchiveError, match="has no media/000001"):
        target.restore(path, target.user(user))


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    for name in (PART, "blobs/ab/" + "ab" * 32):
        with ZipFile(path, "w", ZIP_DEFLATED) as file, file.open(name, "w") as member:
            for _ in range(200):
                member.write(bytes(1 << 20))
        assert path.stat().st_size < 1 << 20
        with pytest.raises(ArchiveError, match="far too large"):
            ArchiveFile(path)


def test_a_directory_of_millions_of_members_is_not_read(archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    end = content.rfind(b"PK\x05\x06")
    content[end + 12 : end + 16] = (archive_file.MAX_DIRECTORY_BYTES + 1).to_bytes(4, "little")
    archive.write_bytes(content)
    with pytest.raises(ArchiveError, match="more than"):
        ArchiveFile(archive)


def test_the_directory_that_is_measured_is_the_one_that_is_read(archive: Path) -> None:
    """With two ZIP64 records: `zipfile` takes the one before the locator, wherever the locator says it is."""
    content = bytearray(archive.read_bytes())
    end = content.rfind(b"PK\x05\x06")
    _, _, _, _, entries, size, offset, _ = archive_file._END.unpack_from(content, end)
    small = archive_file._END64.pack(b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, offset)
    huge = archive_file._END64.pack(b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, 1 << 40, offset)
    locator = archive_file._LOCATOR.pack(b"PK\x06\x07", 0, end, 1)
    archive.write_bytes(content[:end] + small + huge + locator + content[end:])
    with pytest.raises(ArchiveError, match="more than"):
        ArchiveFile(archive)


def test_unreadable_lines_are_settled_in_batches(
    archive: Path, target: Server, user: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes of ZIP hold millions of lines: neither they nor their results are in memory all at once."""
    monkeypatch.setattr(restore, "BATCH_RECORDS", 50)
    batches: list[Sequence[Outcome]] = []
    path = edit_members(archive, {PART: lambda part: part + b"1\n" * 1000})
    restored = target.restore(path, target.user(user), on_batch=lambda _, some: batches.append(some))
    assert restored == RestoreCounts(added=10, failed=1000)
    assert max(len(batch) for batch in batches) <= 50
    numbers = [sorted(outcome.number for outcome in batch) for batch in batches]
    assert [number for batch in numbers for number in batch] == list(range(1, 1011))


def test_a_line_that_cannot_be_read_costs_only_itself(archive: Path, target: Server, user: UUID) -> None:
    def spoil(part: bytes) -> bytes:
        lines = part.splitlines()
        lines[0] = b"{"
        lines[1] = b'{"media": []}'
        lines[2] = b"[" * 100_000
        return b"\n".join(lines) + b"\n"

    outcomes: list[Outcome] = []
    path = edit_members(archive, {PART: spoil})
    restored = target.restore(path, target.user(user), on_batch=lambda _, some: outcomes.extend(some))
    assert restored == RestoreCounts(added=7, failed=3)
    failed = [each for each in outcomes if each.result == "failed"]
    assert [(each.number, each.part, each.code) for each in failed] == [
        (number, PART, "archive_invalid_record") for number in (1, 2, 3)
    ]
    assert all(each.message for each in failed)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("media", "id"), "1"), (("media", "kind"), "book"), (("media", "created_at"), "infinity"),
        (("media", "created_at"), None), (("media", "word_count"), 2**40), (("media", "title"), 7),
        (("media", "current_version"), 9), (("versions",), []), (("versions", 0, "fragments"), []),
        (("items", 0, "status"), "done"), (("entry", "read_at"), "yesterday"), (("tags",), [{}]),
        (("versions", 0, "fragments", 0, "html"), None),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(
    archive: Path, target: Server, user: UUID, where: tuple[Any, ...], value: Any
) -> None:
    def spoil(records: list[Record]) -> list[Record]:
        kept = the_article(records)
        changed: Any = kept
        for key in where[:-1]:
            changed = changed[key]
        changed[where[-1]] = value
        return [kept]

    path = edit_records(archive, spoil)
    assert target.restore(path, target.user(user)) == RestoreCounts(failed=1)


def test_rows_that_contradict_each_other_cost_only_their_media(archive: Path, target: Server, user: UUID) -> None:
    def spoil(records: list[Record]) -> None:
        article = the_article(records)
        article["versions"] = [article["versions"][-1]] * 2

    assert target.restore(edit_records(archive, spoil), target.user(user)) == RestoreCounts(added=9, failed=1)


def test_html_is_sanitized_again(archive: Path, target: Server, user: UUID) -> None:
    def spoil(records: list[Record]) -> None:
        for record in records:
            for version in record["versions"]:
                for fragment in version["fragments"]:
                    fragment["html"] += '<script>alert(1)</script><a href="javascript:x" onclick="x">link</a>'
                    fragment["text"] = "what the attacker wants to be quoted"

    outcomes: list[Outcome] = []
    path = edit_records(archive, spoil)
    target.restore(path, target.user(user), on_batch=lambda _, some: outcomes.extend(some))
    rows = target.connection.execute("SELECT html_sanitized, canonical_text FROM fragments").fetchall()
    assert rows
    for html, text in rows:
        assert "script" not in html
        assert "onclick" not in html
        assert text.endswith("link")
    assert any("sanitized again" in (each.message or "") for each in outcomes)
    states = target.connection.execute("SELECT DISTINCT version, state FROM highlights WHERE quote <> ''").fetchall()
    assert states == [(None, "orphaned")]
    waiting = target.connection.execute("SELECT count(*) FROM highlights_waiting").fetchone()
    assert waiting != (0,)


def test_addresses_are_web_addresses(archive: Path, target: Server, user: UUID) -> None:
    def spoil(records: list[Record]) -> None:
        for record in records:
            record["media"] |= {"declared_url": "javascript:alert(1)", "lead_image_url": "data:text/html,x"}
            record["media"]["audio_url"] = "file:///etc/passwd"

    target.restore(edit_records(archive, spoil), target.user(user))
    found = target.connection.execute("SELECT DISTINCT declared_url, lead_image_url, audio_url FROM media").fetchall()
    assert found == [(None, None, None)]


def test_no_decision_comes_from_the_future(archive: Path, target: Server, user: UUID) -> None:
    future = (datetime.now(UTC) + timedelta(days=4000)).isoformat()

    def spoil(records: list[Record]) -> None:
        for record in records:
            record["entry"] |= dict.fromkeys(("created_at", "read_decided_at", "archived_decided_at"), future)
            for highlight in record["highlights"]:
                highlight["color_decided_at"] = future

    target.restore(edit_records(archive, spoil), target.user(user))
    later = target.connection.execute(
        "SELECT (SELECT count(*) FROM library_media WHERE greatest(created_at, read_decided_at, archived_decided_at)"
        " > now()) + (SELECT count(*) FROM highlights WHERE color_decided_at > now())"
    ).fetchone()
    assert later == (0,)


def test_what_can_be_read_is_not_queued(archive: Path, target: Server, user: UUID) -> None:
    """A worker that claimed it would find a media that may not become unread again."""

    def spoil(records: list[Record]) -> None:
        for record in records:
            for item in record["items"]:
                item |= {"status": "queued", "max_attempts": 2**31 - 1}

    target.restore(edit_records(archive, spoil), target.user(user))
    found = target.connection.execute(
        "SELECT DISTINCT items.status, processing_status FROM items JOIN media ON media.id = media_id ORDER BY 1"
    ).fetchall()
    assert found == [("queued", "pending"), ("succeeded", "ready_for_reading")]
    assert target.connection.execute("SELECT max(max_attempts) FROM items").fetchone() == (10,)


def test_damaged_files_are_left_out(archive: Path, target: Server, user: UUID) -> None:
    with ZipFile(archive) as file:
        blobs = [name for name in file.namelist() if name.startswith("blobs/")]
    path = edit_members(archive, dict.fromkeys(blobs, lambda content: content[:-1] + b"!"))
    assert target.restore(path, target.user(user)) == RestoreCounts(added=10)
    named = "SELECT (SELECT count(*) FROM media_images WHERE state = 'kept'), (SELECT count(*) FROM blobs)"
    assert target.connection.execute(named).fetchone() == (0, 0)
    due = target.connection.execute("SELECT count(*) FROM media_images WHERE state = 'pending' AND due_at <= now()")
    assert due.fetchone() != (0,)


def test_what_is_no_picture_is_not_kept_as_one(archive: Path, target: Server, user: UUID) -> None:
    page = b"<html><script>alert(1)</script></html>"
    sha256 = hashlib.sha256(page).hexdigest()

    def spoil(records: list[Record]) -> None:
        for record in records:
            for picture in record["pictures"]:
                picture |= {"state": "kept", "sha256": sha256, "content_type": "image/png", "settled_at": None}

    path = edit_records(archive, spoil)
    with ZipFile(path, "a") as file:
        file.writestr(f"blobs/{sha256[:2]}/{sha256}", page)
    target.restore(path, target.user(user))
    assert target.connection.execute("SELECT DISTINCT state FROM media_images").fetchall() == [("pending",)]


def test_a_hash_alone_gives_nobody_the_bytes(archive: Path, target: Server, user: UUID) -> None:
    secret = target.store.put(b"another user's picture")

    def spoil(records: list[Record]) -> None:
        for record in records:
            for original in record["originals"]:
                original |= {"sha256": secret.sha256.hex(), "missing": None, "size": 5}

    target.restore(edit_records(archive, spoil), target.user(user))
    found = target.connection.execute("SELECT count(*) FROM originals WHERE sha256 IS NOT NULL").fetchone()
    assert found == (0,)


def test_ids_of_other_users_stay_theirs(source: Server, archive: Path, target: Server, user: UUID) -> None:
    """Another user of this server has rows with all ids of the archive, and with other texts."""
    other = uuid4()
    target.restore(archive, target.user(other))
    target.connection.execute("UPDATE media SET title = 'Mine' WHERE owner_user_id IS NULL OR true")
    target.connection.execute("UPDATE items SET title = 'Mine'")
    target.connection.commit()
    theirs = target.view(other)

    restored = target.restore(archive, target.user(user, is_operator=False))

    assert (restored.added, restored.failed) == (10, 0)
    after = target.view(other)
    for table, rows in theirs.items():
        assert after[table] == rows, table
    mine = target.view(user)
    before = source.view(user)
    for table in ("pastes", "receipts", "entry tags", "positions", "highlights", "tags", "saved searches"):
        assert len(mine[table]) == len(before[table]), table
    assert not {row["id"] for row in mine["items"]} & {row["id"] for row in theirs["items"]}
    once = target.view(user)
    assert target.restore(archive, target.user(user, is_operator=False)) == RestoreCounts(unchanged=10)
    assert target.view(user) == once


def test_members_beside_the_format_are_ignored(archive: Path, target: Server, user: UUID) -> None:
    with ZipFile(archive, "a") as file:
        file.writestr("../../evil", b"x")
        file.writestr("media/zzz.jsonl", b"{}")
    assert target.restore(archive, target.user(user)) == RestoreCounts(added=10)


def test_the_manifest_names_every_member(archive: Path) -> None:
    with ZipFile(archive) as file:
        said = json.loads(file.read("manifest.json"))
        members = {each["name"]: each for each in said["members"]}
        assert file.testzip() is None
        for name in file.namelist():
            content = file.read(name)
            if name.startswith("blobs/"):
                assert name.endswith(hashlib.sha256(content).hexdigest())
            elif name != "manifest.json":
                assert members.pop(name)["sha256"] == hashlib.sha256(content).hexdigest()
    assert members == {}
    assert said["counts"]["media"] == 10
