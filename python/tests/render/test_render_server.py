"""The browser of a real server: what /api/health reports, and that it ends when the server is killed."""

import tempfile
from pathlib import Path

import httpx2
import psycopg
import pytest

from nexus.config import load_settings
from nexus.web.rendering import find_renderer
from tests.processes import TRUSTS_NOBODY, Nexus, ServerProcess, eventually, plain_url
from tests.render.browser_processes import alive, of_kind
from tests.render.site import Site, article


def serve(nexus: Nexus, site: Site, **environment: str) -> ServerProcess:
    allow = f"127.0.0.1:{site.server_port}"
    with_browser = {"WORKER_RENDER": "auto", "TMPDIR": tempfile.gettempdir(), "NEXUS_EGRESS_ALLOW": allow}
    return nexus.serve(**(with_browser | environment))


def test_no_process_of_a_killed_server_is_left(nexus_on_copy: Nexus, fixture_site: Site) -> None:
    """While a page's script loops. The worker used to wait for it; its attempt would then be in the receipt."""
    url = fixture_site.page("/loops", "<title>Loops</title><p>Loading</p><script>for (;;);</script>")
    server = serve(nexus_on_copy, fixture_site)
    saved = httpx2.post(f"{server.url}/items", json={"url": url}, timeout=60, verify=TRUSTS_NOBODY)
    assert saved.is_success, saved.text
    eventually(lambda: fixture_site.seen.count("/loops") >= 2, "the page was not opened in the browser")
    worker = nexus_on_copy.worker()
    processes = [worker, *worker.children(recursive=True)]
    assert of_kind(processes, "chromium")
    assert of_kind(processes, "renderer")
    server.kill()
    eventually(lambda: not alive(processes), "something outlived the server")
    with psycopg.connect(plain_url(nexus_on_copy.environment["DATABASE_URL"])) as connection:
        assert connection.execute("SELECT count(*) FROM extraction_attempts").fetchone() == (0,)


def test_health_reports_rendering_from_the_first_request(nexus_on_copy: Nexus, fixture_site: Site) -> None:
    server = serve(nexus_on_copy, fixture_site)
    assert server.get("/api/health").json()["render"] is True
    eventually(
        lambda: server.get("/api/health").json()["render_sandbox"] is not None, "the worker did not report itself"
    )
    health = server.get("/api/health").json()
    assert (health["render"], health["render_sandbox"]) == (True, find_renderer(load_settings()).sandbox)


@pytest.mark.parametrize("environment", [{"WORKER_RENDER": "never"}, {"NEXUS_CHROMIUM": "/nowhere/chromium"}])
def test_health_reports_that_pages_cannot_be_rendered(
    nexus_on_copy: Nexus, fixture_site: Site, environment: dict[str, str]
) -> None:
    server = serve(nexus_on_copy, fixture_site, **environment)
    health = server.get("/api/health").json()
    assert (health["render"], health["render_sandbox"]) == (False, None)


def test_health_reports_a_browser_that_does_not_start(
    nexus_on_copy: Nexus, fixture_site: Site, open_folder: Path
) -> None:
    broken = open_folder / "chromium"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    server = serve(nexus_on_copy, fixture_site, NEXUS_CHROMIUM=str(broken))
    eventually(lambda: server.get("/api/health").json()["render"] is False, "the browser is still reported")
    page = fixture_site.page("/static", article("No browser needed"))
    assert httpx2.post(f"{server.url}/items", json={"url": page}, timeout=60, verify=TRUSTS_NOBODY).is_success
