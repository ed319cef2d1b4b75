"""A page that allocates memory without end fails alone. The limit is low here because the machine is shared."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from nexus.errors import RenderFailedError
from nexus.web.rendering import Renderer, RenderOptions, Tools
from tests.processes import WAIT_SECONDS, eventually
from tests.render.browser_processes import PatientRenderer, alive, of_kind, tree
from tests.render.site import HangingPage, Site, article

LIMIT = 500_000_000
# Each would take 2 GB, 64 MB at a time, none of it on the JavaScript heap.
ALLOCATIONS = {
    "WebAssembly memory": """
        const memory = new WebAssembly.Memory({initial: 1024});
        new Uint8Array(memory.buffer).fill(1);
        kept.push(memory);""",
    "ArrayBuffers": "kept.push(new Uint8Array(64 << 20).fill(1));",
    "canvases": """
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 4096;
        canvas.getContext('2d').fillRect(0, 0, 4096, 4096);
        kept.push(canvas);""",
}


def allocating(site: Site, path: str, taking: str) -> str:
    """Its end is never sent, so that the page is not complete before it has filled the memory, however slowly."""
    script = f"""<script>const kept = []; (async () => {{ for (let i = 0; i < 32; i++) {{
        {taking}
        await new Promise(done => setTimeout(done, 1)); }} document.title = 'took it all'; }})()</script>"""

    def write(request: Any) -> None:
        request.wfile.write(article("Allocating", extra=script).encode())
        request.wfile.flush()
        site.open.wait()

    return site.stream(path, write)


@pytest.fixture(scope="module")
def limited(tools: Tools, options: RenderOptions) -> Iterator[Renderer]:
    # 4: a host may have two pages open at a time.
    with PatientRenderer(tools, replace(options, max_browser_bytes=LIMIT, pages_at_once=4)) as running:
        yield running


@pytest.mark.parametrize("kind", ALLOCATIONS)
def test_a_page_that_takes_too_much_memory_fails_and_says_so(limited: Renderer, fixture_site: Site, kind: str) -> None:
    limited.render(fixture_site.page("/before", article("Before")))
    browsers = of_kind(tree(limited), "chromium")
    url = allocating(fixture_site, f"/allocating/{kind.replace(' ', '-')}", ALLOCATIONS[kind])
    with pytest.raises(RenderFailedError, match=r"used more than 0\.5 GB of memory") as failed:
        limited.render(url)
    assert (failed.value.code, failed.value.retryable) == ("render_failed", False)
    eventually(lambda: not alive(browsers), "the browser of the page was not ended")
    assert limited.render(fixture_site.page("/after", article("After"))).title == "After"


def test_other_pages_of_the_same_browser_are_still_rendered(limited: Renderer, fixture_site: Site) -> None:
    other = HangingPage(fixture_site, "/beside-an-allocating")
    with ThreadPoolExecutor(1) as threads:
        beside = threads.submit(limited.render, other.url)
        assert other.reached.wait(WAIT_SECONDS)
        url = allocating(fixture_site, "/allocating/beside", ALLOCATIONS["ArrayBuffers"])
        with pytest.raises(RenderFailedError, match="of memory"):
            limited.render(url)
        assert beside.result(WAIT_SECONDS).title == "Hanging"
    other.resume.set()
    assert other.requests == 2


def test_a_page_that_needs_a_lot_but_not_too_much_is_read(limited: Renderer, fixture_site: Site) -> None:
    script = "<script>kept = new Uint8Array(64 << 20).fill(1); document.title = 'Read'</script>"
    page = limited.render(fixture_site.page("/read", article("Allocating", extra=script)))
    assert page.title == "Read"


def test_a_browser_that_uses_much_memory_when_idle_is_replaced(
    tools: Tools, options: RenderOptions, fixture_site: Site
) -> None:
    """For each page a new one: the one before, which may still be closing, is seen beside it."""
    with PatientRenderer(tools, replace(options, max_idle_bytes=1_000_000)) as running:
        browsers = []

        def look_and_write(request: Any) -> None:
            browsers.append(set(of_kind(tree(running), "chromium")))
            request.wfile.write(article("Again").encode())

        url = fixture_site.stream("/again-and-again", look_and_write)
        for _ in range(2):
            assert running.render(url).title == "Again"
        first, second = browsers
        assert len(second - first) == 1
