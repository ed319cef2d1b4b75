"""``nexus extract LINK --render`` with the real browser."""

import json
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.processes import Nexus
from tests.render.browser_processes import folders
from tests.render.site import WORDS, Site, article

SHELL = f"""<!doctype html><title>App</title><body><div id=root></div><script>
document.getElementById('root').innerHTML = '<article><h1>Brought by script</h1>' + '<p>{WORDS}</p>'.repeat(12)
</script>"""
ROUTED = f"""<!doctype html><title>App</title><body><article><p>The start page. {WORDS * 9}</p></article><script>
if (location.hash) document.querySelector('article').innerHTML =
  `<h1>Route ${{location.hash}}</h1>` + '<p>{WORDS}</p>'.repeat(12)
</script>"""
NOT_AN_ARTICLE = 3


@pytest.fixture
def tripwire(open_folder: Path) -> Path:
    """A Chromium that leaves a file when it is started."""
    program = open_folder / "chromium"
    program.write_text(f'#!/bin/sh\ntouch {open_folder}/started\nexec chromium "$@"\n')
    program.chmod(0o755)
    open_folder.chmod(0o777)
    return program


def allowing(site: Site) -> dict[str, str]:
    return {"NEXUS_EGRESS_ALLOW": f"127.0.0.1:{site.server_port}"}


def extract(site: Site, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return Nexus(Path(tempfile.gettempdir()), allowing(site)).invoke("extract", *arguments, **environment)


def test_a_shell_is_rendered(fixture_site: Site) -> None:
    url, before = fixture_site.page("/app", SHELL), folders()
    nexus = Nexus(Path(tempfile.gettempdir()), allowing(fixture_site))
    done = nexus("extract", url, "--format", "json", TMPDIR=tempfile.gettempdir())
    assert done.returncode == 0, done.stderr
    page = json.loads(done.stdout)
    assert page["text"].count(WORDS.strip()) == 12
    assert page["verdict"]["outcome"] == "ok"
    assert folders() == before


def test_a_static_page_does_not_start_the_browser(fixture_site: Site, tripwire: Path) -> None:
    url = fixture_site.page("/static", article("No browser needed"))
    done = extract(fixture_site, url, NEXUS_CHROMIUM=str(tripwire))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tripwire.parent / "started").exists()


def test_always_renders_a_static_page_too(fixture_site: Site, tripwire: Path) -> None:
    extra = "<script>document.querySelector('h1').textContent = 'Seen in a browser'</script>"
    url = fixture_site.page("/static-and-script", article("Plain", extra=extra))
    done = extract(fixture_site, url, "--render", "always", "--format", "html", NEXUS_CHROMIUM=str(tripwire))
    assert done.returncode == 0, done.stderr
    assert (tripwire.parent / "started").exists()


def test_never_says_what_is_missing(fixture_site: Site, tripwire: Path) -> None:
    url = fixture_site.page("/app", SHELL)
    done = extract(fixture_site, url, "--render", "never", NEXUS_CHROMIUM=str(tripwire))
    assert done.returncode == NOT_AN_ARTICLE
    assert "javascript_shell" in done.stderr
    assert not (tripwire.parent / "started").exists()


def test_without_a_browser_auto_keeps_what_it_has_and_always_fails(fixture_site: Site, tmp_path: Path) -> None:
    url, gone = fixture_site.page("/app", SHELL), str(tmp_path / "no-chromium")
    done = extract(fixture_site, url, NEXUS_CHROMIUM=gone)
    assert done.returncode == NOT_AN_ARTICLE
    assert "which does not exist" in done.stderr
    done = extract(fixture_site, url, "--render", "always", NEXUS_CHROMIUM=gone)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Pages cannot be rendered here" in done.stderr


def test_a_missing_page_is_requested_once(fixture_site: Site, tripwire: Path) -> None:
    done = extract(fixture_site, fixture_site.origin + "/never-was", NEXUS_CHROMIUM=str(tripwire))
    assert done.returncode == 1
    assert "404" in done.stderr
    assert not (tripwire.parent / "started").exists()


def test_a_rate_limited_site_gets_one_request(fixture_site: Site, tripwire: Path) -> None:
    """As from the worker: both use the same pipeline."""
    for path, body in (("/busy", article("Busy")), ("/busy-wall", "<title>Just a moment...</title><p>Wait")):
        url = fixture_site.page(path, body, status=429, headers=(("Retry-After", "120"),))
        done = extract(fixture_site, url, NEXUS_CHROMIUM=str(tripwire))
        assert done.returncode in (1, NOT_AN_ARTICLE)
        assert (done.stdout, "429" in done.stderr) == ("", True)
        assert fixture_site.seen.count(path) == 1
    assert not (tripwire.parent / "started").exists()


def test_a_route_of_an_app_is_read(fixture_site: Site) -> None:
    url = fixture_site.page("/routed-app", ROUTED)
    done = extract(fixture_site, url + "#/two", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["text"].startswith("Route #/two")
    done = extract(fixture_site, url + "#/two", "--render", "never")
    assert (done.returncode, done.stdout) == (NOT_AN_ARTICLE, "")
    assert "Only a browser can show this part" in done.stderr


def test_links_are_resolved_against_the_base_that_was_given(fixture_site: Site) -> None:
    url = fixture_site.page("/based", article().replace("</p>", "<a href=next>next</a></p>", 1))
    done = extract(fixture_site, url, "--format", "html", "--base-url", "https://example.org/a/")
    assert 'href="https://example.org/a/next"' in done.stdout
