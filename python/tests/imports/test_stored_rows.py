"""The rows of an import on their way from the process that reads the upload to the database."""

from pathlib import Path

from nexus.services.imports.stored_rows import compress_rows, read_rows


def test_characters_that_the_database_cannot_hold_are_left_out(tmp_path: Path) -> None:
    """The process that wrote them reads hostile bytes, so fields it must not write are left out here again."""
    path = tmp_path / "rows"
    path.write_text('{"title": "a\\u0000b\\ud800", "tags": ["\\u0000"], "row": 1}\n')
    (row,) = read_rows(compress_rows(path), skip=0)
    assert row == {"title": "ab\ufffd", "tags": [""], "row": 1}
