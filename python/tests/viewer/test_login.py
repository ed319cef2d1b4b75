"""Token mode: signing in, what only operators see, signing out."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Browser, expect

from tests.processes import Nexus, ServerProcess, run_nexus
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page


@pytest.fixture(scope="module")
def nexus(same_library: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nexus]:
    with run_nexus(tmp_path_factory.mktemp("login"), NEXUS_AUTH="token", **same_library) as command:
        yield command


@pytest.fixture(scope="module")
def server(nexus: Nexus, tmp_path_factory: pytest.TempPathFactory) -> ServerProcess:
    corpus = tmp_path_factory.mktemp("corpus")
    return nexus.serve("--no-worker", "--output-dir", str(corpus), "--enable-feeds-api", "--enable-jobs-api")


@pytest.fixture
def watch(browser: Browser, server: ServerProcess) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url) as watching:
        yield watching


def token(nexus: Nexus, user: UUID, *options: str) -> str:
    made = nexus.invoke("token", "create", "--user", str(user), *options)
    return next(word for word in made.stdout.split() if word.startswith("nxs_"))


def test_signing_in_leads_to_the_requested_page(watch: WatchedPage, nexus: Nexus) -> None:
    page = watch.open("/dashboard")
    field, submit = page.get_by_label("Token", exact=True), page.get_by_role("button", name="Sign in")
    expect(field).to_be_focused()
    submit.click()
    expect(field).to_have_accessible_description("Enter your token.")
    field.fill("nxs_wrong")
    submit.click()
    expect(field).to_have_attribute("aria-invalid", "true")
    assert accessibility_problems(page) == []
    field.fill(token(nexus, uuid4()))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    assert page.evaluate("document.cookie") == ""
    expect(page.get_by_role("heading", name="Pipeline")).to_have_count(0)
    expect(page.get_by_role("contentinfo").get_by_role("button", name="Feeds")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(field).to_be_visible()
    watch.open("/")
    expect(field).to_be_visible()


def test_on_a_phone_the_header_leads_readers_to_podcasts_and_health(watch: WatchedPage, nexus: Nexus) -> None:
    page = watch.open("/")
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_label("Token", exact=True).fill(token(nexus, uuid4()))
    page.keyboard.press("Enter")
    more = page.get_by_role("banner").get_by_role("button", name="More")
    for name in ("Podcasts", "Health"):
        more.click()
        page.get_by_role("banner").get_by_role("button", name=name).click()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Escape")
    expect(page.get_by_role("contentinfo")).to_be_hidden()
    fits_the_width(page)
    assert accessibility_problems(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(more).to_be_hidden()


def test_an_operator_sees_pipeline_and_feeds(watch: WatchedPage, nexus: Nexus, artifacts: Path) -> None:
    page = watch.open("/dashboard")
    page.get_by_label("Token", exact=True).fill(token(nexus, uuid4(), "--operator"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Pipeline")).to_be_visible()
    expect(page.get_by_role("contentinfo").get_by_role("button", name="Feeds")).to_be_visible()
    expect(page.get_by_role("contentinfo").get_by_role("button", name="Configuration")).to_have_count(0)


@pytest.mark.parametrize("rights", [(), ("--operator",)], ids=["reader", "operator"])
def test_only_operators_see_how_the_store_is(
    watch: WatchedPage, nexus: Nexus, server: ServerProcess, rights: tuple[str, ...]
) -> None:
    page = watch.open("/dashboard")
    secret = token(nexus, uuid4(), *rights)
    page.get_by_label("Token", exact=True).fill(secret)
    page.keyboard.press("Enter")
    page.get_by_role("contentinfo").get_by_role("button", name="Health").click()
    panel = page.get_by_role("dialog").get_by_role("tabpanel")
    expect(panel).to_contain_text("Database")
    expect(panel.get_by_text("In the store")).to_have_count(1 if rights else 0)
    answer = server.get("/api/store", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == (200 if rights else 403)


def test_the_login_does_not_redirect_to_another_site(watch: WatchedPage, nexus: Nexus) -> None:
    page = watch.open("/login?to=//evil.example/")
    page.get_by_label("Token", exact=True).fill(token(nexus, uuid4()))
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{watch.url}/")
    page.goto(f"{watch.url}/login?to=/%09/evil.example/")  # signed in: it goes on at once
    expect(page).to_have_url(f"{watch.url}/")
