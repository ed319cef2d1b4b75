from datetime import UTC, datetime

from nexus.text.imports.records import ImportedItem, ImportProblem
from tests.pure.imports.reading import items, read, zipped

BOOKMARKS = """<!DOCTYPE html><html><head><title>Bookmarks</title><style>ul { color: red }</style></head><body>
<h1>Bookmarks</h1>
<ul>
<li><a class="h-cite" href="https://medium.com/p/salt-a1b2">On &lt;salt&gt;</a>
 (<time class="dt-published">2021-03-07 9:05 am</time>)</li>
<li><a class="h-cite" href="https://medium.com/p/noon-a1b3">Noon</a>
 (<time class="dt-published">2016-04-7 12:30 pm</time>)</li>
<li><a class="h-cite" href="https://medium.com/p/none-a1b4">Undated</a></li>
</ul></body></html>"""
LIST = """<html><body><section><h1 class="p-name">Long/short reads</h1></section>
<ul><li data-field="post"><a href="https://medium.com/p/pepper-c3d4">Pepper</a></li></ul>
<footer><p>List <a class="p-canonical" href="https://medium.com/@me/list/x">canonical</a>
<time datetime="2022-01-01T00:00:00Z">2022</time>
by <a class="p-author" href="https://medium.com/@me">Me</a></p></footer></body></html>"""
HIGHLIGHT = (
    '<html><body><p>Some <span class="markup--highlight">salt <span>is</span> good</span> text</p></body></html>'
)
README = '<html><a class="h-cite" href="https://medium.com/">All</a></html>'
FILES = {
    "medium-export/README.html": README,
    "medium-export/bookmarks/bookmarks-0001.html": BOOKMARKS,
    "medium-export/lists/reads-x.html": LIST,
    "medium-export/highlights/highlights-0001.html": HIGHLIGHT,
    "medium-export/claps/claps-0001.html": BOOKMARKS.replace("medium.com/p/", "medium.com/clap/"),
    "medium-export/posts/2020_mine.html": "<html><a href='https://medium.com/p/mine'>Mine</a></html>",
}


def test_every_field() -> None:
    summary, records = read({"m.zip": zipped(FILES)})
    assert summary.labels == ("Medium",)
    name = "m.zip/medium-export/bookmarks/bookmarks-0001.html"
    assert records[:3] == [
        ImportedItem(name, 1, url="https://medium.com/p/salt-a1b2", title="On <salt>",
                     saved_at=datetime(2021, 3, 7, 9, 5, tzinfo=UTC)),
        ImportedItem(name, 2, url="https://medium.com/p/noon-a1b3", title="Noon",
                     saved_at=datetime(2016, 4, 7, 12, 30, tzinfo=UTC)),
        ImportedItem(name, 3, url="https://medium.com/p/none-a1b4", title="Undated"),
    ]  # fmt: skip
    highlight, listed = records[3:]
    assert isinstance(highlight, ImportProblem)
    assert (highlight.title, highlight.code) == ("salt is good", "no_link")
    assert listed == ImportedItem(
        "m.zip/medium-export/lists/reads-x.html", 1, url="https://medium.com/p/pepper-c3d4", title="Pepper",
        tags=("Long-short reads",),
    )  # fmt: skip


def test_a_page_of_bookmarks_alone() -> None:
    assert [item.title for item in items({"bookmarks-0001.html": BOOKMARKS})] == ["On <salt>", "Noon", "Undated"]
