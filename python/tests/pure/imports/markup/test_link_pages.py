"""The old pages of Pocket and Instapaper."""

from datetime import UTC, datetime

from nexus.text.imports.records import ImportedItem
from tests.pure.imports.reading import items, problems, read

POCKET = """<!DOCTYPE html>
<html>
	<!--So long and thanks for all the fish-->
	<head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" /><title>Pocket Export</title></head>
	<body>
		<h1>Unread</h1>
		<ul>
			<li><a href="https://a.example/?x=1&y=2" time_added="1500000000" tags="one,two words">A &amp; b</a></li>
			<li><a href="https://b.example/" time_added="0" tags="">https://b.example/</a></li>
		</ul>
		<h1>Read Archive</h1>
		<ul>
			<li><a href="https://c.example/" time_added="1500000000" tags="">C</a></li>
			<li><a href="javascript:x" time_added="1500000000" tags="">D</a></li>
		</ul>
	</body>
</html>
"""
INSTAPAPER = """<!DOCTYPE html><html><head><title>Instapaper: Export</title></head><body>
<h1>Unread</h1>
<ol>
<li><a href="https://a.example/">A</a>
<li><a href="https://b.example/">B
</ol>
<h1>Starred</h1><ol><li><a href="https://c.example/">C</a></ol>
<h1>Archive</h1><ol><li><a href="https://d.example/">D</a></ol>
<h1>Food/Drink</h1><ol><li><a href="https://e.example/">E</a></ol>
</body></html>"""


def test_every_field_of_pocket() -> None:
    summary, (first, second, third, problem) = read({"ril_export.html": POCKET})
    assert summary.labels == ("Pocket",)
    time = datetime(2017, 7, 14, 2, 40, tzinfo=UTC)
    assert first == ImportedItem(
        "ril_export.html", 1, url="https://a.example/?x=1&y=2", title="A & b", saved_at=time, tags=("one", "two words"),
        archived=False,
    )  # fmt: skip
    assert second == ImportedItem("ril_export.html", 2, url="https://b.example/", archived=False)
    assert third == ImportedItem(
        "ril_export.html", 3, url="https://c.example/", title="C", saved_at=time, archived=True
    )
    assert [each.line for each in problems({"p": POCKET})] == [problem.line] == [4]


def test_every_field_of_instapaper() -> None:
    found = items({"instapaper.html": INSTAPAPER})
    assert read({"x": INSTAPAPER})[0].labels == ("Instapaper",)
    assert [(item.title, item.archived, item.starred, item.tags) for item in found] == [
        ("A", False, None, ()),
        ("B", False, None, ()),
        ("C", None, True, ()),
        ("D", True, None, ()),
        ("E", None, None, ("Food-Drink",)),
    ]
    assert [item.url for item in found] == [f"https://{name}.example/" for name in "abcde"]


def test_a_page_that_is_cut_off() -> None:
    assert [item.title for item in items({"x": INSTAPAPER[: INSTAPAPER.index("B\n")]})] == ["A", None]
