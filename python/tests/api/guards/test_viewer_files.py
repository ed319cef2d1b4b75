from collections.abc import Iterator
from pathlib import Path

import brotli
import httpx2
import pytest

from nexus.app import create_app
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.http.static_files import viewer_files
from tests.conftest import serving
from tests.processes import TRUSTS_NOBODY

PAGE = "<!doctype html><title>Nexus</title>" + " " * 2000
SCRIPT = "console.log('hello');"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "index.html.br").write_bytes(brotli.compress(PAGE.encode()))
    (tmp_path / "manifest.webmanifest").write_text("{}")
    (tmp_path / "assets/index-abc.js").write_text(SCRIPT)
    (tmp_path / "assets/font-abc.woff2").write_bytes(b"wOF2")
    return tmp_path


@pytest.fixture
def viewer(built: Path, database: Database) -> Iterator[httpx2.Client]:
    settings = load_settings(database_url=database.url.render_as_string(hide_password=False))
    with (
        serving(create_app(settings, database, viewer=viewer_files(built))) as url,
        httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as client,
    ):
        yield client


def test_pages_are_the_one_document(viewer: httpx2.Client) -> None:
    for path in ("/", "/read/5a0e8f6c-0000-0000-0000-000000000000", "/login", "/no/such/page"):
        response = viewer.get(path, headers=BROWSER)
        assert (response.status_code, response.text) == (200, PAGE), path
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache"


def test_the_first_page_is_there_for_whoever_asks(viewer: httpx2.Client) -> None:
    """The request of a service worker that stores it does not accept text/html."""
    assert viewer.get("/", headers={"Accept": "*/*"}).text == PAGE


def test_the_page_may_run_only_our_scripts_and_play_any_sound(viewer: httpx2.Client) -> None:
    policy = viewer.get("/", headers=BROWSER).headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert {rules[name] for name in ("script-src", "style-src", "img-src", "connect-src", "worker-src")} == {"'self'"}
    assert rules["media-src"] == "'self' https: http:"
    assert "unsafe" not in policy


def test_hashed_files_are_kept_for_ever_and_others_asked_for(viewer: httpx2.Client) -> None:
    script = viewer.get("/assets/index-abc.js")
    assert (script.text, script.headers["content-type"]) == (SCRIPT, "text/javascript; charset=utf-8")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    manifest = viewer.get("/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    assert manifest.headers["cache-control"] == "no-cache"
    assert viewer.get("/assets/font-abc.woff2").headers["content-type"] == "font/woff2"


def test_an_unchanged_file_is_not_sent_again(viewer: httpx2.Client) -> None:
    first = viewer.get("/", headers=BROWSER | {"Accept-Encoding": "identity"})
    again = viewer.get("/", headers=BROWSER | {"Accept-Encoding": "identity", "If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    packed = viewer.get("/", headers=BROWSER | {"Accept-Encoding": "br", "If-None-Match": first.headers["etag"]})
    assert packed.status_code == 200
    etag = first.headers["etag"]
    for known, status in {"*": 304, f'"other", W/{etag}': 304, f'"other{etag}other"': 200}.items():
        again = viewer.get("/", headers=BROWSER | {"Accept-Encoding": "identity", "If-None-Match": known})
        assert again.status_code == status, known


def test_a_browser_that_unpacks_gets_it_packed(viewer: httpx2.Client) -> None:
    packed = viewer.get("/", headers=BROWSER | {"Accept-Encoding": "gzip, br"})
    assert (packed.headers["content-encoding"], packed.text) == ("br", PAGE)
    assert packed.headers["vary"] == "Accept-Encoding"
    plain = viewer.get("/", headers=BROWSER | {"Accept-Encoding": "br;q=0, identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == PAGE


def test_the_api_keeps_its_answers(viewer: httpx2.Client) -> None:
    assert viewer.get("/health", headers=BROWSER).json() == {"status": "ok"}
    for path in ("/api/nope", "/assets/nope.js"):
        assert viewer.get(path, headers=BROWSER).json()["detail"]["error"] == "not_found"
    assert viewer.get("/nope").json()["detail"]["error"] == "not_found"
    assert viewer.post("/health", headers=BROWSER).status_code == 405
    assert viewer.post("/", headers=BROWSER).status_code == 404


@pytest.mark.parametrize("path", ["/../app.py", "/%2e%2e/app.py", "/assets/../../app.py", "/index.html.br"])
def test_nothing_but_the_built_files_is_served(viewer: httpx2.Client, path: str) -> None:
    response = viewer.get(path)
    assert response.status_code == 404


def test_head_tells_without_sending(viewer: httpx2.Client) -> None:
    response = viewer.head("/", headers=BROWSER)
    assert (response.status_code, response.content) == (200, b"")


def test_without_a_build_there_is_the_api_alone(tmp_path: Path, client: httpx2.Client) -> None:
    assert viewer_files(tmp_path) == {}
    assert client.get("/", headers=BROWSER).status_code == 404
