"""A Renderer made from the settings, whose browser reaches the network only through egress."""

from collections.abc import Iterator
from contextlib import contextmanager

from nexus.config import Settings
from nexus.web.egress import Egress
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.egress.requested_hosts import RequestedHosts
from nexus.web.rendering.availability import Tools
from nexus.web.rendering.renderer import Proxy, Renderer, RenderOptions


@contextmanager
def open_renderer(tools: Tools, settings: Settings, egress: Egress) -> Iterator[Renderer]:
    """Opens only a loopback port; the browser starts with the first page."""
    with FilteringProxy(egress.dialer, requested_hosts=RequestedHosts()) as proxy:
        egress_proxy = Proxy(proxy.address, proxy.username, proxy.password, proxy.requested_hosts)
        options = RenderOptions(
            proxy=egress_proxy,
            user_agent=settings.worker_user_agent,
            max_browser_bytes=settings.worker_render_memory_bytes,
            max_idle_bytes=settings.worker_render_memory_bytes // 2,
        )
        with Renderer(tools, options) as renderer:
            yield renderer
