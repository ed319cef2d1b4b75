"""From a saved link to a readable text, and what happens when the link fails."""

import json
import re
import threading

from playwright.sync_api import expect

from tests.viewer.library import UserLibrary
from tests.viewer.rows import live, outgoing, row, save, save_box, saved, titles
from tests.viewer.site import SENTENCE, Site, SiteResponse, article
from tests.viewer.watching import WatchedPage


def test_a_saved_link_becomes_a_text_without_a_reload(watch: WatchedPage, site: Site) -> None:
    go_on = threading.Event()

    def slow() -> SiteResponse:
        go_on.wait(300)
        return article("The long road of a link")

    url = site.put("/slow", slow)
    page = watch.open()
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    save(page, url)
    waiting = row(page, "/slow")
    expect(waiting.get_by_text("Fetching")).to_be_visible()
    go_on.set()
    ready = row(page, "The long road of a link")
    expect(ready.get_by_role("link", name="The long road of a link", exact=True)).to_be_visible()
    expect(ready).to_contain_text("The Test Post")
    expect(row(page, "/slow")).to_have_count(0)
    ready.get_by_role("link", name="The long road of a link", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The long road of a link")
    expect(page.locator(".prose")).to_contain_text(SENTENCE.strip())
    expect(page.locator(".prose")).not_to_contain_text("Imprint")
    expect(page.get_by_role("heading", name="The long road of a link")).to_have_count(1)


def test_an_episode_appears_and_disappears_without_a_reload(watch: WatchedPage, library: UserLibrary) -> None:
    page = live(watch.open())
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    episode = library.episode("Tides, part one", [("<p>Welcome.</p>", 0, 4000)])
    expect(row(page, "Tides, part one")).to_be_visible()
    library.connection.execute("DELETE FROM library_media WHERE media_id = %s", [episode])
    expect(row(page, "Tides, part one")).to_have_count(0)


def test_a_page_built_by_scripts_is_rendered(watch: WatchedPage, site: Site) -> None:
    built = f"<article><h1>Built in the browser</h1>{f'<p>{SENTENCE * 4}</p>' * 8}</article>"
    script = f"document.title = 'Built in the browser'; document.body.innerHTML = {json.dumps(built)}"
    url = site.put(
        "/app", SiteResponse(f"<!doctype html><title>App</title><div id=root></div><script>{script}</script>")
    )
    page = watch.open()
    save(page, url)
    ready = row(page, "Built in the browser")
    expect(ready).to_be_visible()  # a browser starts for it
    ready.get_by_role("button", name="What happened").click()
    drawer = page.get_by_role("dialog", name="What happened")
    expect(drawer).to_contain_text("opened in a browser")
    drawer.get_by_role("link", name="Open", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Built in the browser")
    expect(page.locator(".prose")).to_contain_text(SENTENCE.strip())


def test_many_links_at_once(watch: WatchedPage, site: Site) -> None:
    urls = [site.put(f"/many-{number}", article(f"Story number {number}")) for number in range(5)]
    page = watch.open()
    save_box(page).fill("\n".join(f"- {url}" for url in urls))
    page.get_by_role("button", name="Save 5 links").click()
    for number in range(5):
        expect(page.get_by_role("link", name=f"Story number {number}", exact=True)).to_be_visible()
    # In the order they were pasted.
    expect(titles(page)).to_have_text([f"Story number {number}" for number in range(5)])


def test_a_pasted_text_is_ready_at_once(watch: WatchedPage) -> None:
    page = watch.open()
    text = "Shopping for the winter\n\nCandles, rye flour & <b>salt</b>."
    save_box(page).fill(text)
    page.get_by_role("button", name="Save text").click()
    row(page, "Shopping for the winter").get_by_role("link").first.click()
    expect(page.locator(".prose")).to_contain_text("Candles, rye flour & <b>salt</b>.")


def test_a_refused_link_shows_the_reason_in_its_row(watch: WatchedPage) -> None:
    page = watch.open()
    save(page, "http://192.168.1.1/router")
    refused = outgoing(page, "192.168.1.1")
    expect(refused).to_contain_text("Not saved")
    refused.get_by_role("button", name="Edit").click()
    expect(save_box(page)).to_have_value("http://192.168.1.1/router")
    expect(refused).to_have_count(0)


def test_a_failing_page_is_pasted_and_read(watch: WatchedPage, site: Site) -> None:
    url = site.put("/gone", SiteResponse("<h1>Gone</h1>", 410))
    page = watch.open()
    save(page, url)
    failed = row(page, "/gone")
    expect(failed.get_by_text("Couldn't fetch")).to_be_visible()
    failed.get_by_role("button", name="Paste the text").click()
    failed.get_by_role("button", name="Save this text").click()
    expect(failed).to_contain_text("Enter some text first.")
    failed.get_by_label("Text to keep").fill("What the page said when I read it.")
    failed.get_by_role("button", name="Save this text").click()
    expect(page.get_by_text("Saved and ready to read.")).to_be_visible()
    expect(page.get_by_text("Couldn't fetch")).to_have_count(0)
    page.locator("li.slot").get_by_role("link").first.click()
    expect(page.locator(".prose")).to_contain_text("What the page said when I read it.")


def test_the_receipt_lists_the_attempts_and_offers_actions(watch: WatchedPage, site: Site) -> None:
    responses = [SiteResponse("<h1>Broken</h1>", 404)]
    url = site.put("/later", lambda: responses[0])
    page = watch.open()
    save(page, url)
    expect(row(page, "/later").get_by_text("Couldn't fetch")).to_be_visible()
    row(page, "/later").get_by_role("button", name="What happened").click()
    drawer = page.get_by_role("dialog", name="What happened")
    expect(drawer).to_contain_text("404")
    link = drawer.get_by_role("link", name="Open the page and save it with the extension")
    expect(link).to_have_attribute("href", re.compile(f"^{re.escape(url)}#nexus-item="))
    drawer.get_by_text("Technical details").first.click()
    expect(drawer).to_contain_text("http_404")
    responses[0] = article("There after all")
    drawer.get_by_role("button", name="Try again").click()
    expect(drawer.get_by_role("link", name="Open", exact=True)).to_be_visible()
    expect(drawer).to_contain_text("Attempt 2")
    page.go_back()
    expect(drawer).to_have_count(0)
    expect(page.get_by_role("link", name="There after all", exact=True)).to_be_visible()


def test_a_failed_link_can_be_retried_without_limit_and_is_listed_once(
    watch: WatchedPage, site: Site, library: UserLibrary
) -> None:
    responses = [SiteResponse("<h1>Broken</h1>", 404)]
    url = site.put("/stubborn", lambda: responses[0])
    page = watch.open()
    for _ in range(2):
        save(page, url)
        expect(saved(page, "/stubborn").get_by_text("Couldn't fetch")).to_be_visible()
    row(page, "/stubborn").get_by_role("button", name="What happened").click()
    drawer = page.get_by_role("dialog", name="What happened")
    expect(drawer).to_contain_text("Attempt 2")  # by the second save; the row may still say how the first one ended
    expect(drawer.get_by_role("button", name="Try again")).to_be_visible()
    expect(row(page, "/stubborn")).to_have_count(1)
    for attempt in (3, 4):
        drawer.get_by_role("button", name="Try again").click()
        expect(drawer).to_contain_text(f"Attempt {attempt}")
        expect(drawer.get_by_role("button", name="Try again")).to_be_visible()
        if attempt == 3:
            library.connection.execute("UPDATE items SET fetched_again_at = now()")  # whatever the attempt took
            drawer.get_by_role("button", name="Try again").click()
            expect(page.get_by_text("You can fetch it again in")).to_be_visible()
        library.connection.execute("UPDATE items SET fetched_again_at = now() - interval '1 minute'")
    responses[0] = article("It gave in")
    drawer.get_by_role("button", name="Try again").click()
    expect(drawer.get_by_role("link", name="Open", exact=True)).to_be_visible()
    library.connection.execute("UPDATE items SET fetched_again_at = now() - interval '1 minute'")
    responses[0] = SiteResponse("<h1>Broken</h1>", 404)
    drawer.get_by_role("button", name="Fetch again").click()
    expect(drawer).to_contain_text("The text you have was kept.")
    drawer.get_by_role("link", name="Open", exact=True).click()
    expect(page.locator(".prose")).to_contain_text(SENTENCE.strip())


def test_a_short_page_is_kept_as_it_is(watch: WatchedPage, site: Site) -> None:
    short = (
        "<!doctype html><title>A short poem</title><article><h1>A short poem</h1><p>The tide comes in.</p></article>"
    )
    url = site.put("/poem", SiteResponse(short))
    page = watch.open()
    save(page, url)
    expect(row(page, "A short poem").get_by_role("button", name="What happened")).to_be_visible()
    row(page, "A short poem").get_by_role("button", name="What happened").click()
    drawer = page.get_by_role("dialog", name="What happened")
    expect(drawer).to_contain_text("characters")
    drawer.get_by_role("button", name="Keep it as it is").click()
    expect(page.get_by_text("Saved to your library as it is.")).to_be_visible()
    expect(drawer.get_by_role("button", name="Keep it as it is")).to_have_count(0)
    drawer.get_by_role("link", name="Open", exact=True).click()
    expect(page.locator(".prose")).to_contain_text("The tide comes in.")


def test_deleting_can_be_undone_until_the_notice_is_gone(watch: WatchedPage) -> None:
    page = watch.open()
    save(page, "First note, which stays")
    save(page, "Second note, which goes")
    stays, goes = saved(page, "First note"), saved(page, "Second note")
    for entry in (stays, goes):
        entry.hover()
        entry.get_by_role("button", name="Delete").click()
        expect(entry).to_have_count(0)
    page.get_by_text("“First note").locator("..").get_by_role("button", name="Undo").click()
    expect(stays).to_be_visible()
    with page.expect_response(lambda response: response.request.method == "DELETE") as deleted:
        page.get_by_text("“Second note").locator("..").get_by_role("button", name="Dismiss").click()
    assert deleted.value.status == 204
    page.reload()
    expect(stays).to_be_visible()
    expect(goes).to_have_count(0)
