"""What an operator does in the browser: feeds, configuration, runs. Real files, real processes."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.operator.scripts import QueueHarness
from tests.processes import ServerProcess, run_nexus
from tests.viewer.site import Site, SiteResponse
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

OPERATOR = UUID(int=1)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corpus")


@pytest.fixture(scope="module")
def server(
    same_library: dict[str, str], corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    environment = same_library | {"NEXUS_ENV": "test", "PODCAST_JOB_STALE_SECONDS": "600"}
    groups = ["--enable-feeds-api", "--enable-operator-config-api", "--enable-jobs-api"]
    with run_nexus(tmp_path_factory.mktemp("operator"), **environment) as nexus:
        yield nexus.serve("--no-worker", "--output-dir", str(corpus), *groups)


@pytest.fixture
def watch(browser: Browser, server: ServerProcess) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url, user=OPERATOR) as watching:
        yield watching


def open_tab(page: Page, name: str) -> Locator:
    page.get_by_role("contentinfo").get_by_role("button", name=name).click()
    dialog = page.get_by_role("dialog", name="Configuration")
    expect(dialog.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    return dialog


def test_feeds_are_added_ordered_set_and_saved(watch: WatchedPage, corpus: Path) -> None:
    (corpus / "feeds.spec.yaml").unlink(missing_ok=True)
    dialog = open_tab(watch.open(), "Feeds")
    expect(dialog).to_contain_text("There are no feeds yet.")
    for number, address in enumerate(("https://a.example/feed", "https://b.example/feed"), start=1):
        dialog.get_by_role("button", name="Add feed").click()
        expect(dialog.get_by_label(f"Address of feed {number}")).to_be_focused()
        watch.page.keyboard.type(address)
    dialog.get_by_role("button", name="Move feed 2 up").click()
    dialog.get_by_role("button", name="Settings of feed 1").click()
    most = dialog.get_by_label("Maximum episodes")
    most.fill("3")
    expect(most).to_have_accessible_description("How many episodes of this feed to fetch, at least 1.")
    dialog.get_by_label("Order", exact=True).select_option("Oldest first")
    assert accessibility_problems(watch.page) == []
    dialog.get_by_role("button", name="Save changes").click()
    expect(watch.page.get_by_text("Saved: 2 feeds")).to_be_visible()
    written = (corpus / "feeds.spec.yaml").read_text()
    assert written.index("b.example") < written.index("a.example")
    assert "max_episodes: 3" in written
    assert "episode_order: oldest" in written
    dialog.get_by_role("button", name="Remove feed 2").click()
    dialog.get_by_role("button", name="Save changes").click()
    expect(watch.page.get_by_text("Saved: 1 feed", exact=True)).to_be_visible()
    assert "a.example" not in (corpus / "feeds.spec.yaml").read_text()


def test_feed_errors_are_shown_at_their_row(watch: WatchedPage, corpus: Path) -> None:
    (corpus / "feeds.spec.yaml").write_text("feeds:\n- https://a.example/feed\n")
    dialog = open_tab(watch.open(), "Feeds")
    first, second = dialog.get_by_label("Address of feed 1"), dialog.get_by_label("Address of feed 2")
    dialog.get_by_role("button", name="Add feed").click()
    second.fill("https://A.example/feed")
    expect(second).to_have_accessible_description("The same address as feed 1.")
    second.fill("not an address")
    expect(second).to_have_accessible_description("Enter a full address, such as https://example.org/feed.xml.")
    second.fill("https://b.example/feed")
    dialog.get_by_role("button", name="Settings of feed 2").click()
    dialog.get_by_label("Download retries").fill("99")
    dialog.get_by_role("button", name="Save changes").click()
    refused = dialog.get_by_role("listitem").filter(has_text="Download retries")
    expect(refused.get_by_role("alert")).to_contain_text("“Download retries”")
    expect(first).not_to_have_attribute("aria-invalid", "true")
    assert "b.example" not in (corpus / "feeds.spec.yaml").read_text()
    dialog.get_by_role("button", name="Edit as JSON").click()
    raw = dialog.get_by_label("Feeds as JSON")
    raw.fill("[oops")
    dialog.get_by_role("button", name="Save changes").click()
    expect(raw).to_have_attribute("aria-invalid", "true")
    raw.fill(json.dumps(["https://c.example/feed", {"url": "https://d.example/feed", "tiemout": 3}]))
    dialog.get_by_role("button", name="Save changes").click()
    expect(dialog.get_by_role("listitem").nth(1).get_by_role("alert")).to_contain_text("timeout")
    watch.page.keyboard.press("Escape")
    expect(dialog).to_contain_text("You have unsaved changes.")
    dialog.get_by_role("button", name="Keep editing").click()
    expect(second).to_have_value("https://d.example/feed")
    dialog.get_by_role("button", name="Close", exact=True).click()
    dialog.get_by_role("button", name="Close without saving").click()
    expect(dialog).to_have_count(0)


def test_opml_import_and_export(watch: WatchedPage, corpus: Path) -> None:
    (corpus / "feeds.spec.yaml").write_text("feeds:\n- https://a.example/feed\n")
    dialog = open_tab(watch.open(), "Feeds")
    outlines = "".join(f'<outline xmlUrl="https://{name}.example/feed"/>' for name in "abc")
    opml = f'<opml version="2.0"><body>{outlines}</body></opml>'.encode()
    expect(dialog.get_by_label("Address of feed 1")).to_be_visible()
    picker = dialog.locator("input[type=file]")
    picker.set_input_files({"name": "subscriptions.opml", "mimeType": "text/x-opml", "buffer": opml})
    expect(watch.page.get_by_text("2 feeds added, 1 already present")).to_be_visible()
    picker.set_input_files({"name": "page.opml", "mimeType": "text/html", "buffer": b"<html></html>"})
    expect(watch.page.get_by_text("page.opml is not an OPML file.")).to_be_visible()
    with watch.page.expect_download() as download:
        dialog.get_by_role("button", name="Export OPML").click()
    assert 'xmlUrl="https://c.example/feed"' in Path(download.value.path()).read_text()


def test_a_configuration_error_names_its_line_and_changes_nothing_else(watch: WatchedPage, corpus: Path) -> None:
    config = corpus / "viewer_operator.yaml"
    config.write_text("# mine, keep me\nprofile: local\n# and me\nmax_episodes: 3\n")
    dialog = open_tab(watch.open(), "Configuration")
    profile, editor = dialog.get_by_label("Profile"), dialog.get_by_label("Overrides (YAML)")
    expect(profile).to_have_value("local")
    expect(editor).to_have_value("# mine, keep me\n# and me\nmax_episodes: 3\n")
    save = dialog.get_by_role("button", name="Save changes")
    for wrong, said in {
        "max_episodes: 3\nopenai_api_key: x\n": "openai_api_key",
        "max_episodes: 3\nfeeds: [x]\n": "feeds.spec.yaml",
        "max_episodes: [\n": "line",
        "max_episdoes: 3\n": "max_episodes",
    }.items():
        editor.fill(wrong)
        save.click()
        expect(dialog.get_by_role("alert").filter(has_text=said)).to_be_visible()
        expect(editor).to_have_attribute("aria-invalid", "true")
        bad = dialog.locator(".gutter .bad")
        expect(bad).to_have_count(1)
        if said == "line":  # counted in the editor, which does not show the profile's line
            expect(dialog.get_by_role("alert").filter(has_text=f"line {bad.inner_text()}:")).to_be_visible()
    editor.fill("# mine, keep me\n# and me\nmax_episodes: 4\n")
    profile.select_option("dev")
    save.click()
    expect(watch.page.get_by_text("Configuration saved")).to_be_visible()
    assert config.read_text() == "# mine, keep me\nprofile: dev\n# and me\nmax_episodes: 4\n"
    profile.select_option(label="None")
    save.click()
    expect(save).to_be_disabled()
    assert "profile" not in config.read_text()


def test_no_profile_stays_no_profile(watch: WatchedPage, corpus: Path) -> None:
    config = corpus / "viewer_operator.yaml"
    config.write_text("profile: local\n")
    dialog = open_tab(watch.open(), "Configuration")
    dialog.get_by_label("Profile").select_option(label="None")
    dialog.get_by_role("button", name="Save changes").click()
    expect(watch.page.get_by_text("Configuration saved")).to_be_visible()
    assert config.read_text() == ""
    for _ in range(2):
        dialog = open_tab(watch.open(), "Configuration")
        expect(dialog.get_by_label("Profile")).to_have_value("")
        expect(dialog).to_contain_text("Without a profile, only transcripts that publishers offer are fetched.")
        expect(dialog.get_by_role("button", name="Save changes")).to_be_disabled()
        assert config.read_text() == ""
        config.unlink(missing_ok=True)
        config.touch()
    config.unlink()
    expect(open_tab(watch.open(), "Configuration").get_by_label("Profile")).to_have_value("")
    assert not config.exists()


def test_concurrent_edits_do_not_overwrite_each_other(watch: WatchedPage, corpus: Path) -> None:
    config = corpus / "viewer_operator.yaml"
    config.write_text("max_episodes: 1\n")
    dialog = open_tab(watch.open(), "Configuration")
    editor, save = dialog.get_by_label("Overrides (YAML)"), dialog.get_by_role("button", name="Save changes")
    expect(editor).to_have_value("max_episodes: 1\n")
    config.write_text("max_episodes: 2\n")
    editor.fill("max_episodes: 3\n")
    save.click()
    expect(dialog.get_by_role("alert").filter(has_text="Someone else changed this")).to_be_visible()
    dialog.get_by_role("button", name="Compare").click()
    expect(dialog.get_by_role("region", name="On the server now")).to_have_text("max_episodes: 2\n")
    dialog.get_by_role("button", name="Overwrite with mine").click()
    expect(watch.page.get_by_text("Configuration saved")).to_be_visible()
    assert config.read_text() == "max_episodes: 3\n"
    config.write_text("max_episodes: 5\n")
    editor.fill("max_episodes: 6\n")
    save.click()
    dialog.get_by_role("button", name="Discard mine and reload").click()
    expect(editor).to_have_value("max_episodes: 5\n")


@pytest.fixture
def endless_feed(corpus: Path, site: Site) -> Iterator[None]:
    """A run over it does not end by itself."""
    is_over = threading.Event()

    def endless() -> SiteResponse:
        is_over.wait()
        return SiteResponse("", 500)

    address = site.put("/endless-feed", endless)
    (corpus / "feeds.spec.yaml").write_text(f"feeds:\n- {address}\n")
    (corpus / "viewer_operator.yaml").write_text("profile: local\ntimeout: 1000\n")
    yield
    is_over.set()


def run_now(page: Page) -> Locator:
    page.get_by_role("button", name="Run now").click()
    running = page.get_by_role("article").filter(has=page.get_by_role("heading", name="Running"))
    expect(running).to_contain_text("for 0:")
    running.get_by_role("button", name="Show log").click()
    expect(running.get_by_role("log")).not_to_have_text("No output yet.")
    return running


@pytest.mark.usefixtures("endless_feed")
def test_a_run_shows_its_log_and_can_be_cancelled(watch: WatchedPage, artifacts: Path) -> None:
    page = watch.open("/dashboard")
    running = run_now(page)
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_role("heading", name="Number 1 in the queue")).to_be_visible()
    page.screenshot(path=artifacts / "pipeline-desktop.png", full_page=True)
    assert accessibility_problems(page) == []
    waiting = page.get_by_role("article").filter(has=page.get_by_role("heading", name="Number 1 in the queue"))
    waiting.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("cancelled before it started")).to_be_visible()
    running.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("stopped on request")).to_be_visible()
    expect(page.get_by_text("No jobs running or queued.")).to_be_visible()
    page.get_by_label("Show only").select_option("succeeded")
    expect(page.get_by_text("No finished runs yet.")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 740})
    fits_the_width(page)


@pytest.mark.usefixtures("endless_feed")
def test_pausing_and_reconciling_stale_jobs(watch: WatchedPage, corpus: Path) -> None:
    page = watch.open("/dashboard")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused: running jobs continue")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Paused: running jobs continue")).to_have_count(0)
    page.get_by_role("button", name="Reconcile").click()
    expect(page.get_by_text("All jobs match the registry")).to_be_visible()
    run_now(page)
    # As another server on this corpus does whose operator has less patience.
    QueueHarness(corpus, values={"stale_seconds": 0.001, "max_running": 0}).queue.sweep()
    expect(page.get_by_role("alert")).to_contain_text("1 job ran longer than allowed")
    page.get_by_label("Show only").select_option("stale")
    page.get_by_role("button", name="Delete this run").click()
    expect(page.get_by_role("alert").filter(has_text="ran longer")).to_have_count(0)


def test_a_run_lists_its_failures_with_reasons(watch: WatchedPage, corpus: Path, site: Site, artifacts: Path) -> None:
    item = "<item><title>One</title><guid>1</guid></item>"
    feed = f"<rss version='2.0'><channel><title>Good show</title>{item}</channel></rss>"
    good = site.put("/good-feed", lambda: SiteResponse(feed, 200))
    gone = site.put("/gone-feed", lambda: SiteResponse("gone", 404))
    (corpus / "feeds.spec.yaml").write_text(f"feeds:\n- {good}\n- {gone}\n")
    (corpus / "viewer_operator.yaml").write_text("transcribe_missing: false\nrss_retry_total: 0\n")
    page = watch.open("/dashboard")
    page.get_by_role("button", name="Run now").click()
    row = page.get_by_role("listitem").filter(has_text="Succeeded with 1 failure").first
    expect(row).to_be_visible()  # a process starts for it
    row.get_by_text("1 failure: what failed and why").click()
    expect(row.get_by_role("listitem")).to_contain_text("404")
    expect(row.get_by_role("listitem")).to_contain_text("/gone-feed")
    page.screenshot(path=artifacts / "pipeline-failures.png", full_page=True)
    assert accessibility_problems(page) == []
    page.set_viewport_size({"width": 390, "height": 840})
    fits_the_width(page)
    row.scroll_into_view_if_needed()
    page.screenshot(path=artifacts / "pipeline-failures-390.png")


def test_schedules_show_the_next_run(watch: WatchedPage, corpus: Path) -> None:
    (corpus / "viewer_operator.yaml").write_text(
        "scheduled_jobs:\n- {name: nightly, cron: '0 3 * * *'}\n- {name: off, cron: '0 4 * * *', enabled: false}\n"
    )
    page = watch.open("/dashboard")
    expect(page.get_by_role("listitem").filter(has_text="nightly")).to_contain_text("next in")
    expect(page.get_by_role("listitem").filter(has_text="0 4 * * *")).to_contain_text("off")


def test_the_configuration_dialog_is_accessible(watch: WatchedPage, artifacts: Path) -> None:
    page = watch.open()
    dialog = open_tab(page, "Feeds")
    found = {}
    for name in ("Feeds", "Configuration", "Health"):
        dialog.get_by_role("tab", name=name).click()
        expect(dialog.get_by_text("Opening…")).to_have_count(0)
        found[name] = accessibility_problems(page)
        page.screenshot(path=artifacts / f"dialog-{name.lower()}.png")
    assert found == {"Feeds": [], "Configuration": [], "Health": []}
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("tab", name="Feeds")).to_be_focused()
