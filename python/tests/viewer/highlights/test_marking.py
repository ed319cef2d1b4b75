"""Highlights made with the mouse, in every kind of text: kept after a reload, changed, deleted, restored."""

import re
import unicodedata

import pytest
from playwright.sync_api import Page, expect

from tests.viewer.audio.host import serve_audio
from tests.viewer.highlights.steps import (
    DRAWN,
    SELECTED,
    highlight,
    is_drawn,
    is_sent,
    on_server,
    open_highlight,
    panel,
    select,
    toolbar,
)
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, accessibility_problems

HTML = """
<h2>The keeper</h2>
<p>The lighthouse was built in a <em>single summer</em>. Its keeper counted the ships that passed.</p>
<p>Nobody read the ledger until the tower was sold, cafe\u0301 and 🦓 included.</p>
<ul><li>First vessel</li><li>Second vessel</li></ul>
<table><tr><th>Ship</th><th>Year</th></tr><tr><td>Aurora</td><td>1871</td></tr></table>
<pre><code>count = 0
for ship in ships:
    count += 1</code></pre>
<p dir="rtl">شوهدت المنارة من بعيد في الليل</p>
"""
AUDIO = "https://audio.example/lighthouse.wav"
CUES = [
    ("<p><strong>Ann:</strong> Welcome to the lighthouse.</p>", 0, 4000),
    ("<p><strong>Bob:</strong> The lamp was lit at dusk.</p>", 4000, 8000),
    ("<p>It burned until morning came.</p>", 8000, 12_000),
    ("<p><strong>Ann:</strong> Thank you.</p>", 12_000, 14_000),
]


def letters(words: str) -> str:
    return unicodedata.normalize("NFC", re.sub(r"\s", "", words))


def opened(watch: WatchedPage, media: str) -> Page:
    page = watch.open(f"/read/{media}")
    expect(page.locator(".prose").first).to_be_visible()
    return page


@pytest.fixture
def media(library: UserLibrary) -> str:
    return library.article("The ledger", HTML)


def test_what_is_highlighted_is_there_after_a_reload(watch: WatchedPage, media: str) -> None:
    page = opened(watch, media)
    bar = select(page, "built in a", until="counted the ships")
    assert accessibility_problems(page) == []
    bar.get_by_role("button", name="Highlight in green").click()
    expect(page.get_by_role("toolbar")).to_have_count(0)
    assert page.evaluate(SELECTED) == ""
    words = "built in a single summer. Its keeper counted the ships"
    is_drawn(page, {"green": [words]})
    is_sent(page)
    (made,) = on_server(watch, media)
    assert (made["quote"], made["color"], made["state"]) == (words, "green", "attached")
    html = page.locator(".prose").inner_html()
    assert "mark" not in html
    page.reload()
    is_drawn(page, {"green": [words]})


def test_highlights_overlap_and_go_across_blocks(watch: WatchedPage, media: str) -> None:
    page = opened(watch, media)
    made = [
        ("lighthouse was built", "single summer", "lighthouse was built in a single summer"),
        ("single summer", "Its keeper", "single summer. Its keeper"),
        ("ships that passed", "Nobody read", "ships that passed.\nNobody read"),
        ("cafe\u0301 and", None, "café and"),
        ("🦓 included", None, "🦓 included"),
        ("First vessel", "Second", "First vessel\nSecond"),
        ("Year", "Aurora", "Year\nAurora"),
        ("1871", "for ship", "1871\ncount = 0\nfor ship"),
        ("ships:", "count += 1", "ships:\ncount += 1"),
        ("شوهدت المنارة", None, "شوهدت المنارة"),
    ]
    colors = ["yellow", "green", "blue", "pink"]
    for number, (words, until, _quote) in enumerate(made):
        highlight(page, words, until, colors[number % 4])
    is_sent(page)
    assert {one["quote"] for one in on_server(watch, media)} == {quote for *_, quote in made}
    drawn = [words for each in page.evaluate(DRAWN).values() for words in each]
    # What stands between two blocks is in no range, and the text itself is not composed.
    assert {letters(words) for words in drawn} == {letters(quote) for *_, quote in made}
    page.reload()
    page.wait_for_function("() => CSS.highlights.get('mark-yellow')?.size === 3")


def test_a_passage_of_a_transcript_has_its_time_and_plays(watch: WatchedPage, library: UserLibrary) -> None:
    serve_audio(watch.page, AUDIO, seconds=14)
    media = library.episode("An evening", CUES, audio_url=AUDIO)
    page = opened(watch, media)
    highlight(page, "lamp was lit", until="until morning", color="blue")
    is_sent(page)
    (made,) = on_server(watch, media)
    assert made["quote"] == "lamp was lit at dusk.\nIt burned until morning"
    assert made["start_ms"] == 4000
    is_drawn(page, {"blue": ["lamp was lit at dusk.", "It burned until morning"]})
    assert page.locator("audio").evaluate("(audio) => audio.paused"), "a line plays when it is clicked, not selected"
    open_highlight(page, "burned")
    assert page.locator("audio").evaluate("(audio) => audio.paused"), "nor when a highlight in it is opened"
    page.keyboard.press("Escape")
    expect(page.get_by_role("toolbar")).to_have_count(0)
    listed = panel(page)
    expect(listed.get_by_role("listitem")).to_contain_text("lamp was lit at dusk.")
    listed.get_by_role("button", name="Play from 0:04").click()
    page.wait_for_function("() => document.querySelector('audio').currentTime > 4")


def test_colour_note_and_tags_are_changed_and_a_deletion_is_undone(watch: WatchedPage, media: str) -> None:
    page = opened(watch, media)
    select(page, "Nobody read the ledger").get_by_role("button", name="Note").click()
    page.get_by_role("textbox", name="Note").fill("Why not?")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    bar = open_highlight(page, "read the ledger")
    expect(bar.get_by_role("button", name="Yellow")).to_have_attribute("aria-pressed", "true")
    bar.get_by_role("button", name="Pink").click()
    expect(bar.get_by_role("button", name="Pink")).to_have_attribute("aria-pressed", "true")
    bar.get_by_role("button", name="Tags").click()
    page.get_by_role("combobox").fill("lighthouses")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option", name="lighthouses")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    is_sent(page)
    (made,) = on_server(watch, media)
    assert (made["color"], made["note"], made["tags"]) == ("pink", "Why not?", ["lighthouses"])

    toolbar(page, "Highlight").get_by_role("button", name="Delete").click()
    is_drawn(page, {})
    is_sent(page)
    assert on_server(watch, media) == []
    page.get_by_role("button", name="Undo").click()
    is_drawn(page, {"pink": ["Nobody read the ledger"]})
    is_sent(page)
    assert [one["note"] for one in on_server(watch, media)] == ["Why not?"]
    page.reload()
    is_drawn(page, {"pink": ["Nobody read the ledger"]})


def test_the_panel_lists_them_in_order_and_leads_to_each(watch: WatchedPage, library: UserLibrary) -> None:
    paragraphs = "".join(f"<p>Paragraph {number} is about ships and lamps.</p>" for number in range(80))
    media = library.article("Long", paragraphs)
    for number in (70, 3):
        quote = f"Paragraph {number} is"
        body = {"version": 1, "start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 0, "offset": 1}}
        made = watch.page.request.post(f"{watch.url}/media/{media}/highlights", data=body | {"quote": quote})
        assert made.status == 201, made.text()
    page = opened(watch, media)
    listed = panel(page)
    expect(listed.get_by_role("heading", name="Highlights (2)")).to_be_visible()
    expect(listed.get_by_role("listitem").locator("blockquote")).to_have_text(["Paragraph 3 is", "Paragraph 70 is"])
    assert accessibility_problems(page) == []
    listed.get_by_role("button", name="Paragraph 70 is").click()
    expect(page.get_by_text("Paragraph 70 is about")).to_be_in_viewport()
    toolbar(page, "Highlight")
    highlighted = [one["id"] for one in on_server(watch, media)]
    watch.open(f"/read/{media}?highlight={highlighted[1]}")
    expect(page.get_by_text("Paragraph 70 is about")).to_be_in_viewport()
    toolbar(page, "Highlight")
    watch.open(f"/read/{media}?highlight=00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text("This highlight no longer exists.")).to_be_visible()


def test_a_quote_is_copied_with_its_source(watch: WatchedPage, media: str) -> None:
    page = watch.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=watch.url)
    opened(watch, media)
    address = page.request.get(f"{watch.url}/media/{media}").json()["data"]["canonical_url"]
    select(page, "First vessel").get_by_role("button", name="Copy as a quote").click()
    read = "navigator.clipboard.readText()"
    page.wait_for_function(f"() => {read}.then((text) => text.startsWith('“First'))")
    assert page.evaluate(read) == f"“First vessel”\n— The ledger, {address}"
    page.keyboard.press("Escape")
    highlight(page, "First vessel")
    is_sent(page)
    listed = panel(page)
    listed.get_by_role("button", name="Copy as Markdown").click()
    page.wait_for_function(f"() => {read}.then((text) => text.startsWith('> First'))")
    assert page.evaluate(read) == f"> First vessel\n>\n> — [The ledger](<{address}>)"
    listed.get_by_role("button", name="Copy link").click()
    page.wait_for_function(f"() => {read}.then((text) => text.includes('#:~:text=First%20vessel'))")
