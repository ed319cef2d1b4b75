"""Pages and outlines that somebody edited, cut or mixed up: read as far as they can be, never an error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.imports.markup.test_link_pages import INSTAPAPER, POCKET
from tests.pure.imports.markup.test_medium import BOOKMARKS, HIGHLIGHT, LIST
from tests.pure.imports.markup.test_netscape import BROWSER
from tests.pure.imports.markup.test_outlines_and_posts import OPML, POSTS
from tests.pure.imports.reading import read, records_or_a_sentence, zipped

PIECES = [
    "<DL>", "</DL>", "<DT>", "<DD>", "<H3>", "</H3>", "<A HREF=", '"', "'", ">", "<", "</A>", "<!--", "<script>",
    "<li>", "</li>", "<h1>", "</h1>", "<outline", "</outline>", "<span>", "<time>", "&", "\0", "\ufeff", "<![CDATA[",
]  # fmt: skip


@pytest.mark.parametrize("page", [BROWSER, POCKET, INSTAPAPER, OPML, POSTS, BOOKMARKS, LIST, HIGHLIGHT])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_damage(page: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(page))] * 2)))
    inserted = "".join(data.draw(st.lists(st.sampled_from(PIECES), max_size=8)))
    damaged = page[:start] + inserted + page[end:]
    records_or_a_sentence({"page.html": damaged})
    files = {"bookmarks/bookmarks-0001.html": BOOKMARKS, "lists/x.html": damaged, "highlights/x.html": damaged}
    assert read({"medium.zip": zipped(files)})[0].counts.items >= 3
