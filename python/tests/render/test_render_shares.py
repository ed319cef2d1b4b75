"""Pages that never finish use at most their share of the browser."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from nexus.errors import BrowserBusyError, EgressError
from nexus.web.egress import Egress
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.public_address import AllowList
from nexus.web.rendering import Proxy, RenderOptions, Tools
from tests.processes import eventually
from tests.render.browser_processes import PatientRenderer
from tests.render.site import Site, article, site

LOOP = "<p>x</p><script>for (;;);</script>"


def test_looping_pages_of_one_user_leave_room_for_another(tools: Tools, fixture_site: Site) -> None:
    """Whether they are all of one host or of several: the other user's page is rendered while the loops still run."""
    with site() as other:
        allow = AllowList.parse([f"127.0.0.1:{one.server_port}" for one in (fixture_site, other)])
        with Egress(allow=allow, user_agent="unused") as egress, FilteringProxy(egress.dialer) as proxy:
            egress_proxy = Proxy(proxy.address, proxy.username, proxy.password)
            options = RenderOptions(proxy=egress_proxy, user_agent="NexusBot/1.0 (test)")
            with ThreadPoolExecutor(8) as threads, PatientRenderer(tools, options, wait_seconds=300) as renderer:
                loop = fixture_site.page("/loops", LOOP)
                loops = [threads.submit(renderer.render, loop, owner="slow") for _ in range(8)]
                eventually(lambda: fixture_site.seen.count("/loops") == 2, "a user has two of three pages")
                for number in range(2):
                    url = other.page(f"/quick/{number}", article("Quick"))
                    assert renderer.render(url, owner="other").title == "Quick"
                assert not any(page.done() for page in loops)
                assert fixture_site.seen.count("/loops") == 2
                renderer.close()
                for page in loops:
                    with pytest.raises(EgressError):
                        page.result()


def test_waiting_for_the_browser_times_out(tools: Tools, options: RenderOptions, fixture_site: Site) -> None:
    """A page that waits occupies a slot of the worker."""
    with (
        ThreadPoolExecutor(1) as threads,
        PatientRenderer(tools, replace(options, pages_at_once=1), wait_seconds=0.1) as renderer,
    ):
        loop = threads.submit(renderer.render, fixture_site.page("/endless", LOOP))
        eventually(lambda: "/endless" in fixture_site.seen, "a looping page is open")
        with pytest.raises(BrowserBusyError) as busy:
            renderer.render(fixture_site.page("/waits", article()), owner="other")
        assert busy.value.retry_after
        assert not loop.done()
        assert "/waits" not in fixture_site.seen
        renderer.close()
        with pytest.raises(EgressError):
            loop.result()
