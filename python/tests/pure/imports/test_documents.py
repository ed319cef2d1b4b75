"""Files and ZIP files from users: encodings, limits and damage."""

import io
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from nexus.errors import ImportNotRecognisedError
from nexus.text.imports import zip_files
from nexus.text.imports.documents import UploadOpener
from nexus.text.imports.read_export import read_export_in_child
from nexus.text.imports.records import ImportProblem
from tests.pure.imports.reading import Files, items, problems, read, zipped

LIST = "https://a.example/é\nhttps://b.example/\n"
URLS = ["https://a.example/é", "https://b.example/"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, line_end: str) -> None:
    content = LIST.replace("\n", line_end).encode(encoding)
    assert [item.url for item in items({"list.txt": content})] == URLS


def test_a_file_of_two_encodings_with_nuls() -> None:
    content = b"https://a.example/\xc3\xa9\n" + b"https://b.example/\xe9\x80\x9d\n" + b"https://c.ex\0ample/\0\n\0\n"
    assert [item.url for item in items({"list.txt": content})] == [
        "https://a.example/é", "https://b.example/\u901d", "https://c.example/",
    ]  # fmt: skip
    assert items({"list.txt": b"https://b.example/\xe9-\x80\x81\n"})[0].url == "https://b.example/é-€\x81"


def test_names_say_where_a_row_is() -> None:
    inner = zipped({"deep/list.txt": "https://b.example/"})
    given: Files = {
        "x.zip": zipped({"Folder/A.txt": "https://a.example/", "inner.zip": inner}),
        "c.txt": "https://c.example/",
    }
    assert [item.file for item in items(given)] == ["x.zip/Folder/A.txt", "x.zip/inner.zip/deep/list.txt", "c.txt"]


def archive_with(change: Callable[[zipfile.ZipInfo], None], content: bytes = b"https://x.example/") -> bytes:
    buffer = io.BytesIO(zipped({"list.txt": LIST}))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo("other.txt")
        info.compress_type = zipfile.ZIP_DEFLATED
        change(info)
        archive.writestr(info, content)
    return buffer.getvalue()


def named(name: str) -> Callable[[zipfile.ZipInfo], None]:
    return lambda info: setattr(info, "filename", name)


def link(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (named("../../etc/list.txt"), "unsafe_path"),
        (named("/etc/list.txt"), "unsafe_path"),
        (named("..\\list.txt"), "unsafe_path"),
        (named("C:\\list.txt"), "unsafe_path"),
        (named("\0list.txt"), "unsafe_path"),
        (link, "symbolic_link"),
    ],
    ids=["parent", "absolute", "backslash", "drive", "empty", "link"],
)
def test_members_that_are_not_read(change: Callable[[zipfile.ZipInfo], None], code: str) -> None:
    _, records = read({"a.zip": archive_with(change)})
    assert [record.url for record in records] == [*URLS, None]
    assert isinstance(records[2], ImportProblem)
    assert records[2].code == code
    assert ("no name" in records[2].message) == (records[2].file == "a.zip/")


@pytest.mark.parametrize("name", ["__MACOSX/._list.txt", "folder/._list.txt", ".DS_Store", "folder/"])
def test_members_of_the_system_are_left_out_silently(name: str) -> None:
    assert [item.url for item in items({"a.zip": archive_with(named(name), b"")})] == URLS


def test_an_encrypted_member() -> None:
    content = bytearray(archive_with(named("secret.txt")))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(header) + flags] |= 1
    (problem,) = problems({"a.zip": bytes(content)})
    assert (problem.file, problem.code) == ("a.zip/secret.txt", "encrypted")


def test_a_file_that_would_become_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = b"https://a.example/\n" * 1_000_000  # 19 MB in 40 kB
    (problem,) = problems({"a.zip": archive_with(named("bomb.txt"), bomb)})
    assert (problem.file, problem.code) == ("a.zip/bomb.txt", "too_large")
    monkeypatch.setattr("nexus.text.imports.documents.InflatedBudget", lambda: zip_files.InflatedBudget(inflated=10))
    with pytest.raises(ImportNotRecognisedError, match="too large"):
        read({"a.zip": zipped({"list.txt": LIST})})


def test_too_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nexus.text.imports.documents.InflatedBudget", lambda: zip_files.InflatedBudget(members=2))
    many = zipped({f"{number}.txt": f"https://a.example/{number}" for number in range(9)})
    _, records = read({"a.zip": many})
    assert [type(record).__name__ for record in records] == ["ImportedItem", "ImportedItem", "ImportProblem"]
    monkeypatch.setattr(zip_files, "MAX_DIRECTORY_BYTES", 100)
    with pytest.raises(ImportNotRecognisedError, match="too many files"):
        read({"a.zip": many})


def test_a_zip_in_a_zip_in_a_zip() -> None:
    deep = zipped({"list.txt": LIST, "b.zip": zipped({"c.zip": zipped({"list.txt": LIST})})})
    (problem,) = problems({"a.zip": deep})
    assert problem.file == "a.zip/b.zip/c.zip"


def test_the_same_name_twice() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings(action="ignore"):
        for content in (LIST, LIST, "https://c.example/"):
            archive.writestr("list.txt", content)
    assert [item.url for item in items({"a.zip": buffer.getvalue()})] == [*URLS, "https://c.example/"]


def test_a_zip_that_was_not_downloaded_completely() -> None:
    whole = zipped({"list.txt": LIST * 1000})
    for length in (4, 30, len(whole) // 2, len(whole) - 1):
        with pytest.raises(ImportNotRecognisedError, match="not downloaded completely"):
            read({"a.zip": whole[:length]})
    (problem,) = problems({"a.zip": whole[:length], "list.txt": LIST})
    assert (problem.file, problem.code) == ("a.zip", "unreadable_file")


def test_a_damaged_member_does_not_stop_the_others() -> None:
    rows = "".join(f"https://a.example/{number * 7919}\n" for number in range(20_000))
    content = bytearray(zipped({"a.txt": rows, "b.txt": LIST}))
    at = len(content) // 2
    content[at : at + 50] = bytes(50)
    _, records = read({"a.zip": bytes(content)})
    assert [record.url for record in records][-2:] == URLS
    problem = [record for record in records if isinstance(record, ImportProblem)][-1]
    assert (problem.file, problem.code) == ("a.zip/a.txt", "unreadable_file")
    assert problem.line > 1000


@pytest.mark.parametrize("member", ["mimetype", "[Content_Types].xml", "META-INF/MANIFEST.MF"])
def test_books_and_office_documents_are_no_exports(member: str) -> None:
    with pytest.raises(ImportNotRecognisedError):
        read({"a.epub": zipped({member: "x", "list.txt": LIST})})


def test_an_empty_zip_and_no_file() -> None:
    for files in ({"a.zip": zipped({})}, {"a.txt": ""}, {}):
        with pytest.raises(ImportNotRecognisedError):
            read(files)


def test_nothing_is_left_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"b.zip": zipped({"../list.txt": LIST, "list.txt": LIST})}))
    with UploadOpener([("a.zip", path)], scratch=tmp_path) as export:
        assert [document.beginning for document in export.documents] == [LIST]
    assert list(tmp_path.iterdir()) == [path]


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "1"
    path.write_text(LIST)
    summary = read_export_in_child([("list.txt", path)], tmp_path / "rows")
    assert (summary.sources, summary.counts.items, len((tmp_path / "rows").read_text().splitlines())) == (
        ("links",),
        2,
        2,
    )
    path.write_text("words")
    with pytest.raises(ImportNotRecognisedError, match="not a known export"):
        read_export_in_child([("list.txt", path)], tmp_path / "rows")
