"""What cells and fields of exports mean."""

from datetime import UTC, datetime
from typing import Any

import pytest

from nexus.text.imports.documents import Document
from nexus.text.imports.records import ImportedItem, ImportProblem
from nexus.text.imports.values import (
    folder_tags,
    item_or_problem,
    link_problem,
    read_flag,
    read_link,
    read_progress,
    read_tags,
    read_text,
    read_time,
    read_title,
)

TIME = datetime(2024, 3, 2, 9, 5, 7, tzinfo=UTC)
SECONDS = int(TIME.timestamp())


@pytest.mark.parametrize(
    "value",
    [
        SECONDS, str(SECONDS), f" {SECONDS} ", f"{SECONDS}.0", float(SECONDS), SECONDS * 1000, str(SECONDS * 1000),
        SECONDS * 1_000_000, str((SECONDS + 11_644_473_600) * 1_000_000),
        "2024-03-02T09:05:07Z", "2024-03-02T09:05:07.000Z", "2024-03-02T10:05:07+01:00", "2024-03-02T10:05:07+0100",
        "2024-03-02 09:05:07", "2024-03-02 09:05:07 UTC", "2024-03-02 09:05:07+00:00", "2024-03-02T09:05:07",
        "02/Mar/2024:10:05:07 +0100", "2024-03-02T09:05:07.000000000Z", "Sat, 02 Mar 2024 09:05:07 GMT",
    ],
)  # fmt: skip
def test_times(value: Any) -> None:
    assert read_time(value) == TIME


@pytest.mark.parametrize(
    "value",
    [
        None, "", 0, "0", "0.0", -1, "-1650000000", 1, "x", "never", True, "1970-01-01T00:00:00Z", "1601-01-01", "nan",
        "inf", "1e9", float("nan"), float("inf"), 1e300, "9" * 400, "9999-12-31T23:59:59-23:00",
        "0001-01-01T00:00:00+23:00", 99_999_999_999, [], {}, "2024-13-45", "٢٠٢٤", "1" * 31,
    ],
)  # fmt: skip
def test_what_is_no_time(value: Any) -> None:
    assert read_time(value) is None


@pytest.mark.parametrize(
    ("link", "code", "named"),
    [
        ("javascript:alert(1)", "unsupported_link", "javascript:"),
        ("place:sort=8", "unsupported_link", "place:"),
        ("about:blank", "unsupported_link", "about:"),
        ("file:///etc/passwd", "unsupported_link", "file:"),
        ("data:text/html,x", "unsupported_link", "data:"),
        ("ftp://a.example/", "unsupported_link", "ftp:"),
        ("MAILTO:x@a.example", "unsupported_link", "mailto:"),
        ("/shaare/AbC123", "relative_link", "which site"),
        ("?AbC123", "relative_link", "which site"),
        ("a.example/page", "relative_link", "which site"),
        ("http://", "invalid_link", "not a web address"),
        ("https://a b.example/", "invalid_link", "not a web address"),
        ("https://a.example/" + "x" * 70_000, "invalid_link", "too long"),
        ("", "no_link", "no link"),
    ],
)
def test_what_is_no_link(link: str, code: str, named: str) -> None:
    refused = link_problem(link)
    assert refused
    assert refused[0] == code
    assert named in refused[1]
    assert read_link(link) == ""


def test_links_are_kept_as_they_are_written() -> None:
    for link in ("https://a.example/ä?x=1&y=%20#part", "HTTP://A.Example", "https://a.example/a b"):
        assert read_link(f" {link}\n") == link
    assert read_link("https://a.exa\nmple/") == "https://a.example/"


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("  On\n salt ", "On salt"), ("Cat&#39;s &amp; dog&nbsp;s", "Cat's & dog s"), ("R&D &copy x", "R&D &copy x"),
        ("https://a.example/", None), ("Problem loading page", None), ("", None), (None, None), (7, None),
        ("x" * 2000, "x" * 1000), ("\x1b Red\x07alert\0", "Redalert"),
    ],
)  # fmt: skip
def test_titles(title: Any, read: str | None) -> None:
    assert read_title(title, "https://a.example/") == read


def test_tags() -> None:
    given = [" a ", "", "Two  Words", "a", "x/ y//z/", "\tline\nend", 7, None, "/", "y" * 150]
    assert read_tags(given) == ("a", "Two Words", "x/y/z", "line end", "y" * 100)
    assert folder_tags("A", " B ", "") == ("A/B",)
    assert folder_tags("", "") == ()


def test_flags_progress_and_notes() -> None:
    assert [read_flag(value) for value in (True, 1, "TRUE", "yes", False, 0, "False", "", None, "maybe")] == [
        True, True, True, True, False, False, False, False, None, None,
    ]  # fmt: skip
    assert [read_progress(value) for value in ("0.25", 25, "25%", 1, 250, "", None, "nan", -1, True)] == [
        0.25, 0.25, 0.25, 1.0, 1.0, None, None, None, None, None,
    ]  # fmt: skip
    assert read_text(" a&nbsp;b\r\nc ") == "a b\nc"
    nothing: list[Any] = ["", None, True, {}, " "]
    assert not any(map(read_text, nothing))


def test_an_item_needs_a_link_or_a_text() -> None:
    document = Document("x.csv", "x.csv", 0, lambda: None, in_zip=False)  # type: ignore[arg-type]
    assert item_or_problem(document, 3, url=" https://a.example/ ", title="T", archived=True) == ImportedItem(
        "x.csv", 3, "https://a.example/", "T", archived=True
    )
    assert item_or_problem(document, 3, url="", title="T", text="words") == ImportedItem(
        "x.csv", 3, title="T", text="words"
    )
    assert item_or_problem(document, 3, url=None, title="T") == ImportProblem(
        "x.csv", 3, "no_link", "There is no link.", title="T"
    )
    refused = item_or_problem(document, 3, url="file:///x", title="T", text="words")
    assert isinstance(refused, ImportProblem)
    assert refused.url == "file:///x"
