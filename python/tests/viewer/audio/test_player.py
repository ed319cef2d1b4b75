"""The player: no audio request before play, resuming, and a page that follows until the user scrolls."""

from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Browser, Page, Response, expect

from tests.podcasts.host import podcast_host
from tests.processes import ServerProcess
from tests.viewer.audio.host import serve_audio, silent_wave
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, watched_page

AUDIO = "https://audio.example/episode.wav"
CUES = [(f"<p>Line number {n} of it.</p>", n * 1000, n * 1000 + 1000) for n in range(120)]
SCROLLED = "Math.round(window.scrollY)"
# Where the page is once it has not moved for a second: of two scrolls that overlap, the first to end says nothing.
AT_REST = """() => new Promise((done) => {
  let [last, since] = [Math.round(scrollY), performance.now()];
  const look = () => {
    if (Math.round(scrollY) !== last) [last, since] = [Math.round(scrollY), performance.now()];
    if (performance.now() - since > 1000) done(last);
    else requestAnimationFrame(look);
  };
  look();
})"""
NEXT_SCROLL_END = "new Promise((done) => addEventListener('scrollend', () => done(1), { once: true }))"


def player_is_ready(page: Page) -> None:
    """The player is visible, and the page has sent the requests that it makes by itself."""
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.evaluate("fetch('/api/health').then(() => new Promise((seen) => requestAnimationFrame(() => seen(1))))")


def test_audio_is_not_requested_before_play(watch: WatchedPage, library: UserLibrary) -> None:
    requested = serve_audio(watch.page, AUDIO, seconds=120)
    page = watch.open(f"/read/{library.episode('Quiet', CUES, audio_url=AUDIO)}")
    player_is_ready(page)
    expect(page.get_by_text("0:00 / 2:00")).to_be_visible()
    page.get_by_role("button", name="Forward 30 seconds").click()
    expect(page.get_by_text("0:30 / 2:00")).to_be_visible()
    page.get_by_role("slider", name="Position").press("ArrowRight")
    player_is_ready(page)
    assert requested == []
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("() => document.querySelector('audio').currentTime > 31")
    assert set(requested) == {AUDIO}


def test_the_publisher_learns_nothing_before_play_is_pressed(watch: WatchedPage, library: UserLibrary) -> None:
    with podcast_host() as publisher:
        audio = publisher.put("/episode.wav", silent_wave(120), "audio/wav", ranges=True)
        page = watch.open(f"/read/{library.episode('Elsewhere', CUES, audio_url=audio)}")
        expect(page.get_by_text("Plays from 127.0.0.1")).to_be_visible()
        expect(page.get_by_role("button", name="Play", exact=True)).to_have_accessible_description(
            "Plays from 127.0.0.1"
        )
        page.get_by_role("button", name="Forward 30 seconds").click()
        player_is_ready(page)
        assert page.locator("audio").get_attribute("src") is None
        assert publisher.paths() == []
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function("() => document.querySelector('audio').currentTime > 30.2")
        assert set(publisher.paths()) == {"/episode.wav"}


def test_kept_audio_plays_without_its_publisher(watch: WatchedPage, library: UserLibrary, data_dir: Path) -> None:
    """Audio is fetched in ranges: its beginning, and then from the position that is played."""
    with podcast_host() as publisher:
        audio = publisher.put("/episode.wav", silent_wave(1), "audio/wav", ranges=True)
        media = library.episode("Here", CUES, audio_url=audio)
        library.keep_audio(media, silent_wave(3000), "audio/wav", data_dir)
        ranges: list[tuple[str | None, int, str | None]] = []

        def note(response: Response) -> None:
            if response.url.endswith("/audio"):
                said = response.request.headers.get("range"), response.status, response.headers.get("content-range")
                ranges.append(said)

        watch.page.on("response", note)
        page = watch.open(f"/read/{media}")
        expect(page.get_by_text("0:00 / 50:00")).to_be_visible()  # read from the file: the transcript has two minutes
        expect(page.get_by_text("Plays from")).to_have_count(0)
        page.get_by_role("slider", name="Position").evaluate(
            "(slider) => { slider.value = 2900; slider.dispatchEvent(new Event('change')); }"
        )
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function("() => document.querySelector('audio').currentTime > 2900.2")
        assert publisher.paths() == []
        assert ranges[0][:2] == ("bytes=0-", 206)
        starts = [
            int(str(said).removeprefix("bytes ").partition("-")[0]) for _, status, said in ranges if status == 206
        ]
        assert max(starts) > 2800 * 8000


def test_kept_audio_that_cannot_be_loaded(watch: WatchedPage, library: UserLibrary, data_dir: Path) -> None:
    media = library.episode("Lost", CUES, audio_url=AUDIO)
    library.keep_audio(media, silent_wave(120), "audio/wav", data_dir)
    watch.page.route("**/audio", lambda route: route.abort())
    requested = serve_audio(watch.page, AUDIO, seconds=120)
    page = watch.open(f"/read/{media}")
    expect(page.get_by_text("Check your connection to the server.")).to_be_visible()
    watch.page.unroute("**/audio")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert requested == []


def test_an_episode_resumes_at_its_position(
    browser: Browser, server: ServerProcess, watch: WatchedPage, library: UserLibrary
) -> None:
    requested = serve_audio(watch.page, AUDIO, seconds=120)
    path = f"/read/{library.episode('Continued', CUES, audio_url=AUDIO)}"
    page = watch.open(path)
    page.get_by_text("Line number 70 of it.").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("() => document.querySelector('audio').currentTime > 70")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    left = int(page.evaluate("document.querySelector('audio').currentTime"))
    watch.open("/")
    requested.clear()
    watch.open(path)
    player_is_ready(page)
    expect(page.get_by_text(f"1:{left - 60} / 2:00")).to_be_visible()
    expect(page.locator("[aria-current=true]")).to_have_text(f"Line number {left} of it.")
    assert requested == []
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function(f"() => document.querySelector('audio').currentTime > {left} + 0.2")
    expect(page.locator("[aria-current=true]")).to_be_in_viewport()

    # After its end it starts from the beginning.
    page.get_by_role("slider", name="Position").evaluate(
        "(slider) => { slider.value = 119; slider.dispatchEvent(new Event('change')); }"
    )
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    watch.open(path)
    player_is_ready(page)
    expect(page.get_by_text("0:00 / 2:00")).to_be_visible()


def test_positions_are_kept_per_user(watch: WatchedPage, library: UserLibrary) -> None:
    """The same browser and media, another user: for them it begins at the beginning."""
    serve_audio(watch.page, AUDIO, seconds=120)
    media = library.episode("Shared", CUES, audio_url=AUDIO)
    page = watch.open(f"/read/{media}")
    page.get_by_role("button", name="Forward 30 seconds").click()
    expect(page.get_by_text("0:30 / 2:00")).to_be_visible()
    other = uuid4()
    page.context.set_extra_http_headers({"X-User-Id": str(other)})
    other_library = page.request.get(f"{watch.url}/api/me").json()["default_library_id"]
    library.connection.execute(
        "INSERT INTO library_media (library_id, media_id) VALUES (%s, %s)", [other_library, media]
    )
    page.reload()
    player_is_ready(page)
    expect(page.get_by_text("0:00 / 2:00")).to_be_visible()
    page.context.set_extra_http_headers({"X-User-Id": str(library.user)})
    page.reload()
    player_is_ready(page)
    expect(page.get_by_text("0:30 / 2:00")).to_be_visible()


def test_following_stops_when_the_user_scrolls(browser: Browser, server: ServerProcess, library: UserLibrary) -> None:
    path = f"/read/{library.episode('Followed', CUES, audio_url=AUDIO)}"
    phone = {"width": 390, "height": 760}
    with watched_page(browser, server.url, user=library.user, viewport=phone) as watch:
        serve_audio(watch.page, AUDIO, seconds=120)
        page = watch.open(path)
        follow = page.get_by_role("button", name="Follow")
        expect(follow).to_have_attribute("aria-pressed", "true")
        expect(follow).to_be_in_viewport()
        page.get_by_text("Line number 20 of it.").click()
        page.wait_for_function("() => document.querySelector('audio').currentTime > 22")
        page.wait_for_function(f"() => {SCROLLED} > 0")
        page.mouse.move(195, 300)
        page.evaluate(NEXT_SCROLL_END)  # between two scrolls of the page itself, which come with each line
        page.mouse.wheel(0, 1500)
        expect(follow).to_have_attribute("aria-pressed", "false")
        expect(page.locator("[aria-current=true]")).not_to_be_in_viewport()
        rest = page.evaluate(AT_REST)
        now = page.evaluate("document.querySelector('audio').currentTime")
        page.wait_for_function(f"() => document.querySelector('audio').currentTime > {now} + 2.5")
        assert page.evaluate(SCROLLED) == rest
        expect(page.locator("[aria-current=true]")).not_to_be_in_viewport()
        follow.click()
        expect(follow).to_have_attribute("aria-pressed", "true")
        expect(page.locator("[aria-current=true]")).to_be_in_viewport()
