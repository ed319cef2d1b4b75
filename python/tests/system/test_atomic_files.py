"""Writing a file whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from nexus.system.atomic_files import remove_leftovers, remove_leftovers_of, replace_file, replacing, temporary_prefix


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_old_content_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with replacing(path) as out:
        out.write(b"new")
        out.flush()
        assert path.read_text() == "old"
    assert (path.read_text(), names(tmp_path)) == ("new", {"file"})


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_failed_write_changes_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def write() -> None:
        with replacing(path) as out:
            out.write(b"new")
            raise error

    with pytest.raises(error):
        write()
    assert (path.read_text(), names(tmp_path)) == ("old", {"file"})


def test_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    replace_file(link, b"new")
    assert (target.read_text(), link.read_text(), link.is_symlink()) == ("old", "new", False)


@pytest.mark.parametrize("durable", [True, False])
def test_open_folder_is_written_to_after_its_path_changed(tmp_path: Path, durable: bool) -> None:
    folder, moved = tmp_path / "folder", tmp_path / "moved"
    folder.mkdir()
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        folder.rename(moved)
        folder.symlink_to(tmp_path)
        replace_file(Path("file"), b"new", durable=durable, dir_fd=fd)
    finally:
        os.close(fd)
    assert names(moved) == {"file"}
    assert names(tmp_path) == {"folder", "moved"}


def test_files_are_private_unless_said_otherwise(tmp_path: Path) -> None:
    replace_file(tmp_path / "private", b"")
    replace_file(tmp_path / "open", b"", mode=0o644)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("private", "open")] == [0o600, 0o644]


def test_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    replace_file(path, b"new", durable=True)
    assert path.read_bytes() == b"new"


def test_leftovers_of_one_file_and_of_a_folder(tmp_path: Path) -> None:
    own = [tmp_path / f"{temporary_prefix('file')}{number}.tmp" for number in range(2)]
    own[0].touch()
    own[1].mkdir()
    (tmp_path / ".other.tmp").touch()
    (tmp_path / "file").touch()
    remove_leftovers_of(tmp_path / "file")
    assert names(tmp_path) == {own[1].name, ".other.tmp", "file"}
    remove_leftovers(tmp_path)
    assert names(tmp_path) == {own[1].name, "file"}
    remove_leftovers(tmp_path / "missing")
    remove_leftovers_of(tmp_path / "missing" / "file")
