"""Texts without audio are read aloud by the browser. Headless Chromium has no voices: a stand-in speaks, silently."""

from playwright.sync_api import Page, expect

from tests.viewer.audio.test_player import AT_REST
from tests.viewer.library import UserLibrary
from tests.viewer.rows import row
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width

HTML = "".join(
    f"<p>{''.join(f'Sentence {part} of <em>paragraph</em> {number} is here. ' for part in range(4))}</p>"
    for number in range(40)
)
# It says what it is told only when the test lets it: `finish()` ends the utterance that is being spoken.
VOICES = """
class Utterance { constructor(text) { this.text = text; } }
const said = [];
let speaking = null;
Object.defineProperty(window, "SpeechSynthesisUtterance", { value: Utterance });
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ lang: "en-US", default: true, localService: true }, { lang: "de-DE", localService: true }],
  speak: (utterance) => { speaking = utterance; said.push([utterance.text, utterance.lang, utterance.rate]); },
  cancel: () => { speaking = null; },
}});
window.said = said;
window.finish = () => { const done = speaking; speaking = null; done.onend(); };
// How often the page scrolls by itself: a smooth scroll has hardly begun when one looks where it is.
window.scrolls = 0;
const scrollBy = window.scrollBy.bind(window);
window.scrollBy = (options) => { window.scrolls += 1; scrollBy(options); };
"""
MARKED = "[...CSS.highlights.get('spoken') ?? []].map((range) => range.toString()).join()"


def last_spoken(page: Page, count: int) -> list[str]:
    page.wait_for_function(f"() => said.length === {count}")
    last: list[str] = page.evaluate("said.at(-1)")
    return last


def test_a_text_is_read_aloud(watch: WatchedPage, library: UserLibrary) -> None:
    watch.page.add_init_script(VOICES)
    media = library.article("To be heard", HTML, lang="en")
    library.article("Another", "<p>Words.</p>")
    page = watch.open(f"/read/{media}")
    page.set_viewport_size({"width": 390, "height": 760})
    page.get_by_role("button", name="Listen").click()
    player = page.get_by_role("region", name="Read aloud")
    assert last_spoken(page, 1) == ["Sentence 0 of paragraph 0 is here.", "en-US", 1]
    page.wait_for_function(f"() => {MARKED} === 'Sentence 0 of paragraph 0 is here.'")
    expect(player.get_by_role("slider", name="Position")).to_have_attribute("aria-valuetext", "Sentence 1 of 160")
    fits_the_width(page)
    assert accessibility_problems(page) == []

    page.evaluate("finish()")
    assert last_spoken(page, 2)[0] == "Sentence 1 of paragraph 0 is here."
    steps = (("Next paragraph", "Sentence 0 of paragraph 1"), ("Previous sentence", "Sentence 3 of paragraph 0"))
    for count, (step, sentence) in enumerate(steps, 3):
        player.get_by_role("button", name=step).click()
        assert last_spoken(page, count)[0] == f"{sentence} is here."
    player.get_by_role("combobox", name="Speed").select_option("1.5")
    assert last_spoken(page, 5) == ["Sentence 3 of paragraph 0 is here.", "en-US", 1.5]
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("p")
    expect(player.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("p")
    assert last_spoken(page, 6)[0] == "Sentence 3 of paragraph 0 is here."

    # The page scrolls along until the reader scrolls, and again by the button.
    follow = player.get_by_role("button", name="Follow")
    player.get_by_role("slider", name="Position").evaluate(
        "(slider) => { slider.value = 80; slider.dispatchEvent(new Event('change')); }"
    )
    assert page.evaluate(AT_REST) > 1000  # a wheel in the middle of the page's own scroll does not get so far
    page.mouse.move(190, 300)
    page.mouse.wheel(0, -50_000)
    expect(follow).to_have_attribute("aria-pressed", "false")
    page.wait_for_function("() => scrollY < 1000")
    page.evaluate("window.scrolls = 0; finish()")
    page.wait_for_function(f"() => {MARKED} === 'Sentence 1 of paragraph 20 is here.'")
    assert page.evaluate("scrolls") == 0
    follow.click()
    page.wait_for_function("() => scrolls === 1 && scrollY > 1000")

    # It goes on while one looks at other pages, and where it is read is where one is.
    page.keyboard.press("u")
    expect(player.get_by_role("link", name="To be heard")).to_be_visible()
    page.evaluate("finish()")
    assert last_spoken(page, 9)[0] == "Sentence 2 of paragraph 20 is here."
    with page.expect_response(lambda response: response.url.endswith("/position") and response.ok):
        page.evaluate("finish()")
    row(page, "To be heard").get_by_role("link", name="To be heard", exact=True).click()
    page.wait_for_function(f"() => {MARKED} === 'Sentence 3 of paragraph 20 is here.'")
    page.wait_for_function("() => scrollY > 1000")
    player.get_by_role("button", name="Close the player").click()
    expect(page.get_by_role("button", name="Listen")).to_be_visible()
    page.wait_for_function(f"() => {MARKED} === ''")


def test_a_browser_without_a_voice_says_so(watch: WatchedPage, library: UserLibrary) -> None:
    page = watch.open(f"/read/{library.article('Silence', '<p>Some words.</p>', lang='en')}")
    page.get_by_role("button", name="Listen").click()
    expect(page.get_by_role("alert")).to_contain_text("This browser has no voices to read aloud with.")
    watch.page.add_init_script(VOICES)
    page.goto(f"{watch.url}/read/{library.article('Français', '<p>Quelques mots.</p>', lang='fr')}")
    page.get_by_role("button", name="Listen").click()
    expect(page.get_by_role("alert")).to_contain_text("This browser has no voice for French.")
    assert accessibility_problems(page) == []
