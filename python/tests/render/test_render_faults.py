"""Any process may be killed at any time: no page is lost, and no process or folder is left."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from nexus.errors import EgressError, RenderFailedError, RenderTimeoutError
from nexus.web.rendering import Renderer, RenderOptions, Tools
from nexus.web.rendering import renderer as renderer_module
from nexus.web.rendering.folders import make_folder, remove_abandoned_folders
from tests.processes import WAIT_SECONDS, eventually, kill
from tests.render.browser_processes import PatientRenderer, alive, folders, of_kind, tree, tree_below
from tests.render.site import HangingPage, Site, article

PARENT = Path(__file__).with_name("rendering_parent.py")


@pytest.fixture(scope="module")
def own(tools: Tools, options: RenderOptions) -> Iterator[Renderer]:
    """A renderer whose processes are killed; at the end none is left."""
    before = folders()
    with PatientRenderer(tools, replace(options, pages_at_once=4)) as running:
        yield running
        processes = tree(running)
    assert not alive(processes)
    assert folders() == before


@pytest.mark.parametrize("kind", ["renderer", "chromium", "node", "supervisor"])
def test_a_page_is_tried_again_after_a_process_was_killed(own: Renderer, fixture_site: Site, kind: str) -> None:
    pages = [HangingPage(fixture_site, f"/hanging/{kind}/{number}") for number in range(2 if kind == "chromium" else 1)]
    with ThreadPoolExecutor(2) as threads:
        under_way = [threads.submit(own.render, page.url) for page in pages]
        for page in pages:
            assert page.reached.wait(WAIT_SECONDS)
        processes = tree(own)
        killed = of_kind(processes, kind)
        kill(*killed)
        results = [future.result(WAIT_SECONDS) for future in under_way]
    for page in pages:
        page.resume.set()
    assert [result.title for result in results] == ["Hanging"] * len(pages)
    assert [page.requests for page in pages] == [2] * len(pages)
    assert own.render(fixture_site.page("/afterwards", article("Next"))).title == "Next"
    assert killed
    assert not alive(killed)
    gone = set(processes) - set(tree(own))
    eventually(lambda: not alive(list(gone)), f"something survived the {kind}")


def test_a_page_that_crashes_every_time_fails_alone(own: Renderer, fixture_site: Site) -> None:
    allocating = "<body><script>const all = []; for (let i = 0; ; i++) all.push(Array(4e6).fill(i + 0.5))</script>"
    with pytest.raises(EgressError) as failed:
        own.render(fixture_site.page("/allocating", allocating), timeout_seconds=25)
    assert failed.value.code in {"render_failed", "render_timeout"}
    assert own.render(fixture_site.page("/after-allocating", article("Fine"))).title == "Fine"


@pytest.mark.parametrize("mode", ["warm", "alone"])
def test_no_process_outlives_the_interpreter(mode: str, fixture_site: Site) -> None:
    before, page = folders(), HangingPage(fixture_site, f"/orphan/{mode}")
    parent = subprocess.Popen(
        [sys.executable, "-P", str(PARENT), mode, page.url, f"127.0.0.1:{fixture_site.server_port}"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert page.reached.wait(WAIT_SECONDS)
    (supervisor,) = psutil.Process(parent.pid).children()
    processes = tree_below(supervisor.pid)
    assert of_kind(processes, "chromium")
    parent.kill()
    parent.wait()
    eventually(lambda: not alive(processes), "a process outlived the interpreter")
    eventually(lambda: not folders() - before, "a folder outlived the interpreter")
    page.resume.set()


def test_closing_ends_pages_under_way(tools: Tools, options: RenderOptions, fixture_site: Site) -> None:
    before, page = folders(), HangingPage(fixture_site, "/closed")
    with ThreadPoolExecutor(1) as threads:
        with PatientRenderer(tools, options) as running:
            under_way = threads.submit(running.render, page.url)
            assert page.reached.wait(WAIT_SECONDS)
            processes = tree(running)
        error = under_way.exception(WAIT_SECONDS)
    page.resume.set()
    assert isinstance(error, RenderFailedError)
    assert error.retryable
    assert not alive(processes)
    assert folders() == before
    with pytest.raises(RenderFailedError, match="shut down"):
        running.render(page.url)


def test_a_frozen_node_is_killed_after_the_time_limit(
    own: Renderer, fixture_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = fixture_site.page("/frozen", article("Thawed"))
    own.render(url)
    processes = tree(own)
    (node,) = of_kind(processes, "node")
    node.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(renderer_module, "SLACK_SECONDS", 0.5)
    with pytest.raises(RenderTimeoutError, match=r"1\.5 seconds"):
        own.render(url, timeout_seconds=1)
    assert not alive(processes)
    monkeypatch.undo()
    assert own.render(url).title == "Thawed"


def test_a_browser_that_cannot_start_is_a_failure_with_its_reason(
    tools: Tools, options: RenderOptions, open_folder: Path
) -> None:
    broken = open_folder / "chromium"
    broken.write_text("#!/bin/sh\necho 'no usable display' >&2\nexit 1\n")
    broken.chmod(0o755)
    before = folders()
    with (
        PatientRenderer(replace(tools, chromium=broken), options) as running,
        pytest.raises(RenderFailedError, match="did not start") as failed,
    ):
        running.render("http://example.com/")
    assert failed.value.retryable
    assert folders() == before


def test_an_old_browser_is_replaced(tools: Tools, options: RenderOptions, fixture_site: Site) -> None:
    """After two pages, the first of which is the blank one it starts with."""
    with PatientRenderer(tools, replace(options, pages_per_browser=2)) as running:
        browsers = set()

        def look_and_write(request: Any) -> None:
            browsers.update(
                of_kind(tree(running), "chromium")
            )  # while the page is open: afterwards the browser may be gone
            request.wfile.write(article("Again").encode())

        url = fixture_site.stream("/again", look_and_write)
        for _ in range(3):
            assert running.render(url).title == "Again"
        assert len(browsers) == 2
        eventually(lambda: len(alive(list(browsers))) <= 1, "the old browser was not closed")


def test_an_idle_browser_is_closed(tools: Tools, options: RenderOptions, fixture_site: Site) -> None:
    url = fixture_site.page("/now-and-then", article("Again"))
    with PatientRenderer(tools, replace(options, idle_ms=500)) as running:
        for _ in range(2):
            assert running.render(url).title == "Again"
            eventually(lambda: not of_kind(tree(running), "chromium"), "the idle browser was not closed")


def test_abandoned_folders_are_removed_and_locked_ones_kept() -> None:
    living, lock = make_folder()
    dead, released = make_folder()
    released.release()
    remove_abandoned_folders()
    assert living.exists()
    assert not dead.exists()
    lock.release()
    remove_abandoned_folders()
    assert not living.exists()
