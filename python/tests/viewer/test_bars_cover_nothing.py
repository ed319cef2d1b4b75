"""Nothing is cut off or covered by a bar."""

from playwright.sync_api import expect

from tests import factories
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage

# Whether the current row lies between the bars at the top and at the bottom.
CURRENT = """() => {
  const { top, bottom } = document.querySelector(".entry.current").getBoundingClientRect();
  const header = document.querySelector("header").getBoundingClientRect().bottom;
  const footer = document.querySelector("footer").getBoundingClientRect().top;
  return top >= header && bottom <= footer && document.activeElement.textContent;
}"""
# Columns of the chart that have the colour of a bar, as runs of [first, length].
BARS = """(canvas) => {
  const { width, height } = canvas;
  const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const [red, green, blue] = [13, 107, 90]; // the accent of the light theme
  const filled = (x) => Array.from({ length: height }, (_, y) => (y * width + x) * 4).some(
    (at) => Math.abs(pixels[at] - red) + Math.abs(pixels[at + 1] - green) + Math.abs(pixels[at + 2] - blue) < 12);
  const runs = [];
  for (let x = 0; x < width; x += 1) {
    const last = runs.at(-1);
    if (!filled(x)) continue;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}"""


def test_the_current_row_is_not_covered_by_the_bars(watch: WatchedPage, library: UserLibrary) -> None:
    for number in range(30):
        library.article(f"Save {number:02}", "<p>Some words.</p>", excerpt="words that fill the row " * 12)
    page = watch.open()
    expect(page.get_by_role("link", name="Save 29", exact=True)).to_be_visible()
    for index in range(20):
        page.keyboard.press("j")
        expect(page.get_by_role("link", name=f"Save {29 - index:02}", exact=True)).to_be_focused()
        page.wait_for_function(CURRENT)
    for index in range(18, 8, -1):
        page.keyboard.press("k")
        expect(page.get_by_role("link", name=f"Save {29 - index:02}", exact=True)).to_be_focused()
        page.wait_for_function(CURRENT)


def test_many_steps_within_one_frame_end_at_a_focused_row(watch: WatchedPage, library: UserLibrary) -> None:
    """The row is not in the document yet when it becomes the current one."""
    for number in range(30):
        library.article(f"Save {number:02}", "<p>Some words.</p>")
    page = watch.open()
    expect(page.get_by_role("link", name="Save 29", exact=True)).to_be_visible()
    page.evaluate(
        "() => { for (let i = 0; i < 28; i += 1) dispatchEvent(new KeyboardEvent('keydown', { key: 'j' })); }"
    )
    expect(page.get_by_role("link", name="Save 02", exact=True)).to_be_focused()
    page.wait_for_function(CURRENT)


def test_todays_bar_is_as_wide_as_the_others(watch: WatchedPage, library: UserLibrary) -> None:
    media = library.article("Today", "<p>Some words.</p>")
    for days in range(1, 8):
        facts = {"status": "succeeded", "final_text_source": "extracted_from_url", "title": f"{days} days ago"}
        item = factories.item(library.connection, user_id=library.user, media_id=media, **facts)
        library.connection.execute(
            "UPDATE items SET created_at = now() - %s * interval '1 day' WHERE id = %s", [days, item]
        )
    page = watch.open("/dashboard")
    chart = page.locator(".plot canvas")
    expect(chart).to_be_visible()
    drawn = f"(canvas) => {{ const bars = ({BARS})(canvas); return bars.length === 8 && bars; }}"
    bars = page.wait_for_function(drawn, arg=chart.element_handle()).json_value()
    widths = [width for _, width in bars]
    assert max(widths) - min(widths) <= 2, bars
