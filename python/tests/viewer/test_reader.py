"""The reader: layout, table of contents, pictures, display settings, progress, transcripts, search results."""

import base64

from playwright.sync_api import Locator, Page, Route, expect

from tests.viewer.audio.host import serve_audio
from tests.viewer.library import UserLibrary
from tests.viewer.reading.scrolling import scroll_to
from tests.viewer.reading.test_positions import settled
from tests.viewer.rows import row
from tests.viewer.search.marks import search_box
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width

PARAGRAPHS = "".join(f"<p>Paragraph {number}. {'Words that fill the line. ' * 30}</p>" for number in range(20))
HTML = (
    f"<p>It begins.</p><h2>First part</h2>{PARAGRAPHS}<h2>Second part</h2><h3>A detail</h3>"
    f"<pre><code>{'x = 1; ' * 80}</code></pre>"
    f"<table><tbody><tr>{'<td>a wide cell of words</td>' * 20}</tr></tbody></table>"
    f'<p><img src="/media/image?url=https%3A%2F%2Fexample.org%2Fa.png" alt="A bridge"></p>{PARAGRAPHS}'
)
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def no_pictures(page: Page) -> None:
    """The site of the pictures does not exist."""
    page.route("**/media/image?*", lambda route: route.fulfill(status=404, json={"detail": {}}))


def read_to(page: Page, place: Locator) -> None:
    """Scrolls the last part with the wheel: a page that moves by itself is not read."""
    place.scroll_into_view_if_needed()
    scroll_to(page, round(page.evaluate("scrollY")) + 40)


def test_wide_code_and_tables_scroll_in_their_own_box(watch: WatchedPage, library: UserLibrary) -> None:
    no_pictures(watch.page)
    page = watch.open(f"/read/{library.article('Wide things', HTML)}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Wide things")
    for width in (360, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        fits_the_width(page)
    for region in ("Code; scrolls sideways", "Table; scrolls sideways"):
        box = page.get_by_role("region", name=region)
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_function("(box) => box.scrollWidth > box.clientWidth", arg=box.element_handle())
        assert box.evaluate("(box) => box.tabIndex") == 0


def test_table_of_contents_scrolls_to_headings_and_marks_the_current_one(
    watch: WatchedPage, library: UserLibrary
) -> None:
    no_pictures(watch.page)
    page = watch.open(f"/read/{library.article('Parts', HTML)}")
    contents = page.get_by_role("navigation", name="Contents")
    expect(contents.get_by_role("link")).to_have_text(["First part", "Second part", "A detail"])
    contents.get_by_role("link", name="Second part").click()
    expect(page.get_by_role("heading", name="Second part")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Second part")).to_be_focused()
    contents.get_by_role("link", name="First part").click()
    expect(contents.get_by_role("link", name="First part")).to_have_attribute("aria-current", "location")


def test_pictures_load_through_the_proxy_and_may_be_missing(watch: WatchedPage, library: UserLibrary) -> None:
    media = library.article("Pictures", HTML)
    requested: list[str] = []

    def serve(route: Route) -> None:
        requested.append(route.request.url)
        route.fulfill(body=DOT, content_type="image/png")

    watch.page.route("**/media/image?*", serve)
    page = watch.open(f"/read/{media}")
    picture = page.get_by_role("img", name="A bridge")
    expect(picture).to_have_attribute("loading", "lazy")
    read_to(page, picture)
    expect(picture).to_have_js_property("complete", value=True)
    page.wait_for_function("() => document.querySelector('.prose img').naturalWidth > 0")
    assert requested
    page.unroute("**/media/image?*")
    gone = {"detail": {"error": "picture_gone", "message": "", "request_id": "r"}}
    page.route("**/media/image?*", lambda route: route.fulfill(status=404, json=gone))
    page.reload()  # it opens where one was: at the picture
    missing = page.get_by_role("group", name="A bridge")
    expect(missing).to_have_text("A bridgeThis picture is gone.")
    assert accessibility_problems(page) == []


def test_a_picture_that_could_not_be_loaded_is_tried_again(watch: WatchedPage, library: UserLibrary) -> None:
    watch.page.route("**/media/image?*", lambda route: route.fulfill(status=504, json={"detail": {}}))
    page = watch.open(f"/read/{library.article('Pictures', HTML)}")
    page.get_by_role("img", name="A bridge").scroll_into_view_if_needed()
    missing = page.get_by_role("group", name="A bridge")
    expect(missing).to_contain_text("This picture couldn't be loaded.")
    page.unroute("**/media/image?*")
    page.route("**/media/image?*", lambda route: route.fulfill(body=DOT, content_type="image/png"))
    missing.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("img", name="A bridge")).to_have_js_property("naturalWidth", 1)
    expect(missing).to_have_count(0)


def test_display_settings_are_kept(watch: WatchedPage, library: UserLibrary) -> None:
    page = watch.open(f"/read/{library.article('Looks', '<p>Some words.</p>')}")
    prose = page.locator(".prose")
    before = float(prose.evaluate("(text) => parseFloat(getComputedStyle(text).fontSize)"))
    page.get_by_role("button", name="Display settings").click()
    page.get_by_text("Sepia", exact=True).click()
    page.get_by_role("button", name="Larger").click()
    page.get_by_role("button", name="Larger").click()
    page.get_by_text("Sans", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("group", name="Display")).to_have_count(0)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "sepia"
    expect(prose).to_be_visible()
    assert float(prose.evaluate("(text) => parseFloat(getComputedStyle(text).fontSize)")) == before + 2
    assert "Inter" in prose.evaluate("(text) => getComputedStyle(text).fontFamily")


def test_a_text_resumes_at_its_position(watch: WatchedPage, library: UserLibrary) -> None:
    no_pictures(watch.page)
    media = library.article("A long one", HTML)
    page = watch.open(f"/read/{media}")
    read_to(page, page.get_by_role("heading", name="Second part"))
    expect(page.get_by_role("progressbar")).not_to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("u")
    listed = row(page, "A long one")
    expect(listed).to_contain_text("% read")
    listed.get_by_role("link", name="A long one", exact=True).click()
    expect(page.get_by_role("heading", name="Second part")).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")  # the reader can still go back to the beginning
    settled(page)
    page.get_by_role("button", name="Continue at").click()
    expect(page.get_by_role("heading", name="Second part")).to_be_in_viewport()


def test_a_transcript_plays_from_the_line_that_is_clicked(watch: WatchedPage, library: UserLibrary) -> None:
    cues = [
        ("<p><strong>Ann:</strong> Welcome to the show.</p>", 0, 60_000),
        ("<p><strong>Ann:</strong> Today it is about links.</p>", 60_000, 120_000),
        ("<p><strong>Ben:</strong> They rot, as we know.</p>", 120_000, 300_000),
        ("<p>Links of this episode.</p>", None, None),
    ]  # longer than the test takes: the audio plays on meanwhile
    audio = "https://audio.example/episode.wav"
    chapters = [(0, "Hello", None), (120_000, "Rot", "https://show.example/rot"), (240_000, "Cure", None)]
    media = library.episode("Episode one", cues, chapters=chapters, audio_url=audio)
    serve_audio(watch.page, audio, seconds=300)
    page = watch.open(f"/read/{media}")
    expect(page.get_by_text("Ann", exact=True)).to_have_count(1)
    expect(page.get_by_role("button", name="Play from 2:00")).to_be_visible()
    expect(page.get_by_role("heading", name="Show notes")).to_be_visible()
    page.get_by_text("Today it is about links.").click()
    expect(page.locator("[aria-current=true]")).to_contain_text("Today it is about links.")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="Play from 2:00").click()
    expect(page.locator("[aria-current=true]")).to_contain_text("They rot, as we know.")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    listed = page.get_by_role("navigation", name="Chapters")
    expect(listed.get_by_role("button")).to_have_text(["0:00Hello", "2:00Rot", "4:00Cure"])
    expect(listed.locator("[aria-current=location]")).to_have_text("2:00Rot")
    expect(listed.get_by_role("link")).to_have_attribute("href", "https://show.example/rot")
    listed.get_by_role("button", name="Hello").click()
    expect(page.locator("[aria-current=true]")).to_contain_text("Welcome to the show.")
    expect(listed.locator("[aria-current=location]")).to_have_text("0:00Hello")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("link", name="Episode one")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Episode one")).to_be_visible()
    row(page, "Episode one").get_by_role("button", name="Delete “Episode one”").click()
    with page.expect_response(lambda response: response.request.method == "DELETE") as deleted:
        page.get_by_role("button", name="Dismiss").click()
    assert deleted.value.status == 204


def test_a_search_result_opens_at_the_match_and_back_returns_to_the_search(
    watch: WatchedPage, library: UserLibrary
) -> None:
    no_pictures(watch.page)
    library.article("About horses", f"{HTML}<p>Not a <em>zébra</em> & <b>nobody</b> else.</p>{PARAGRAPHS}")
    cues = [(f"<p>Line number {n} of it.</p>", n * 1000, n * 1000 + 900) for n in range(200)]
    cues[150] = ("<p>And then the zebra said so.</p>", 150_000, 150_900)
    audio = "https://audio.example/zebra.wav"
    library.episode("Stripes on air", cues, audio_url=audio)
    serve_audio(watch.page, audio, seconds=200)
    page = watch.open()
    expect(page.get_by_role("link", name="About horses", exact=True)).to_be_visible()
    library.wait_until_found("zebra", 2)
    page.keyboard.press("/")
    page.keyboard.type("Zebra")
    expect(page.get_by_role("status").filter(has_text="2 results")).to_be_visible()
    found = row(page, "About horses")
    expect(found.locator("mark")).to_have_text(["zébra"])
    expect(row(page, "Stripes on air")).to_contain_text("2:30")
    found.get_by_role("link", name="About horses", exact=True).click()
    expect(page.locator(".found")).to_have_text("Not a zébra & nobody else.")
    expect(page.locator(".found")).to_be_in_viewport()
    page.go_back()
    expect(search_box(page)).to_have_value("Zebra")
    page.get_by_role("link", name="Stripes on air", exact=True).click()
    expect(page.locator("[aria-current=true]")).to_have_text("And then the zebra said so.")
    expect(page.locator("[aria-current=true]")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("u")
    page.get_by_role("complementary").get_by_role("button", name="Podcasts").click()
    expect(page.get_by_role("status").filter(has_text="1 result")).to_be_visible()
    search_box(page).fill("unicorn")
    expect(page.get_by_role("heading", name="No results for “unicorn”")).to_be_visible()
    search_box(page).fill('"')
    expect(page.get_by_text("Type a word to search for.")).to_be_visible()
    page.get_by_role("button", name="Show everything").click()
    expect(page.get_by_role("link", name="Stripes on air", exact=True)).to_be_visible()


def test_a_text_is_read_at_its_end_and_can_be_marked_unread(watch: WatchedPage, library: UserLibrary) -> None:
    no_pictures(watch.page)
    library.article("A long one", HTML)
    library.article("A short one", "<p>Some words.</p>")
    page = watch.open()
    unread = page.get_by_role("complementary").get_by_role("button", name="Unread")
    expect(unread).to_have_text("Unread2")
    unread.click()
    page.get_by_role("link", name="A short one", exact=True).click()
    expect(page.get_by_role("button", name="Mark as unread")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("img", name="Unread")).to_have_count(1)
    expect(unread).to_have_text("Unread1")
    page.get_by_role("link", name="A long one", exact=True).click()
    expect(page.get_by_role("button", name="Mark as read")).to_be_visible()
    expect(page.locator(".prose p").first).to_be_visible()  # it loads after the title
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Mark as unread")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("You're all caught up")).to_be_visible()
    page.get_by_role("button", name="Show everything").click()
    page.get_by_role("button", name="Mark “A long one” as unread").click()
    expect(unread).to_have_text("Unread1")
    page.reload()
    expect(row(page, "A long one").get_by_role("img", name="Unread")).to_be_visible()
    expect(page.get_by_role("img", name="Unread")).to_have_count(1)


def test_unknown_texts_and_pages_say_so(watch: WatchedPage) -> None:
    page = watch.open("/read/5a0e8f6c-1111-4222-8333-000000000000")
    expect(page.get_by_role("alert")).to_contain_text("not in your library")
    page = watch.open("/no/such/page")
    page.get_by_role("link", name="Go to the library").click()
    expect(page).to_have_url(f"{watch.url}/")
