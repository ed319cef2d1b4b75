"""The player goes on while other pages are opened, on a phone too, and other devices continue from its position."""

from uuid import UUID

from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess, eventually
from tests.viewer.audio.host import serve_audio
from tests.viewer.library import UserLibrary
from tests.viewer.rows import row
from tests.viewer.watching import accessibility_problems, fits_the_width, watched_page

FIRST, SECOND = "https://audio.example/first.wav", "https://audio.example/second.wav"
CUES = [(f"<p>Line number {n} of it.</p>", n * 1000, n * 1000 + 1000) for n in range(120)]
CHAPTERS = [(0, "Hello", None), (60_000, "The middle", None), (90_000, "The end", None)]
PHONE = {"width": 390, "height": 760}


def plays_on(page: Page) -> None:
    now = page.evaluate("document.querySelector('audio').currentTime")
    page.wait_for_function(f"() => document.querySelector('audio').currentTime > {now} + 0.3")


def test_it_plays_on_while_one_browses(
    browser: Browser, server: ServerProcess, library: UserLibrary, user: UUID
) -> None:
    library.article("Something to read", "<p>Words of an article.</p>")
    first = library.episode("The first episode", CUES, audio_url=FIRST, chapters=CHAPTERS)
    second = library.episode("The second episode", CUES, audio_url=SECOND)
    position = f"/api/library/{first}/position"
    with watched_page(browser, server.url, user=user, viewport=PHONE) as watch:
        for address in (FIRST, SECOND):
            serve_audio(watch.page, address, seconds=120)
        page = watch.open(f"/read/{first}")
        player = page.get_by_role("region", name="Audio player")
        page.get_by_text("Line number 40 of it.").click()
        expect(player.get_by_role("button", name="Pause")).to_be_visible()

        page.get_by_role("link", name="Library", exact=True).first.click()
        expect(page).to_have_url(f"{watch.url}/")
        expect(player.get_by_role("link", name="The first episode")).to_be_visible()
        plays_on(page)
        fits_the_width(page)
        assert page.evaluate("navigator.mediaSession.metadata.title") == "The first episode"
        assert page.evaluate("navigator.mediaSession.playbackState") == "playing"
        assert accessibility_problems(page) == []

        row(page, "Something to read").get_by_role("link", name="Something to read", exact=True).click()
        expect(page.get_by_text("Words of an article.")).to_be_visible()
        plays_on(page)
        player.get_by_role("button", name="Chapters").click()
        player.get_by_role("button", name="The middle").click()
        page.wait_for_function("() => document.querySelector('audio').currentTime > 60")
        player.get_by_role("combobox", name="Speed").select_option("2")
        page.wait_for_function("() => document.querySelector('audio').playbackRate === 2")
        player.get_by_role("button", name="Sleep timer").click()
        player.get_by_role("button", name="15 minutes").click()
        expect(player.get_by_role("button", name="Sleep timer: stops in 15 min")).to_be_focused()
        page.get_by_role("heading", level=1).click()
        page.keyboard.press("p")
        expect(player.get_by_role("button", name="Play", exact=True)).to_be_visible()
        left = int(page.evaluate("document.querySelector('audio').currentTime"))
        eventually(
            lambda: page.request.get(watch.url + position).json()["audio_ms"] == left * 1000, "the server was not told"
        )

        # Another one: its page leaves the player alone until it is played.
        page.evaluate(f"history.pushState(null, '', '/read/{second}'); dispatchEvent(new PopStateEvent('popstate'))")
        expect(page.get_by_role("heading", level=1)).to_have_text("The second episode")
        expect(player.get_by_role("link", name="The first episode")).to_be_visible()
        page.get_by_role("button", name="Play this episode").click()
        expect(player.get_by_role("button", name="Pause")).to_be_visible()
        expect(player.get_by_role("link")).to_have_count(0)
        page.wait_for_function(f"() => document.querySelector('audio').src === '{SECOND}'")
        page.get_by_role("button", name="Delete").click()
        expect(player).to_have_count(0)

    with watched_page(browser, server.url, user=user) as other:
        page = other.open(f"/read/{first}")
        expect(page.get_by_text(f"1:{left - 60:02} / 2:00")).to_be_visible()
        expect(page.locator("[aria-current=true]")).to_have_text(f"Line number {left} of it.")
