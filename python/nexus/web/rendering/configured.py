"""The browser as the settings want it, behind the door that everything else goes through."""

from collections.abc import Iterator
from contextlib import contextmanager

from nexus.config import Settings
from nexus.web.egress import Egress
from nexus.web.egress.announced import AnnouncedHosts
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.rendering.capability import Tools
from nexus.web.rendering.renderer import Proxy, Renderer, RenderOptions


@contextmanager
def open_renderer(tools: Tools, settings: Settings, egress: Egress) -> Iterator[Renderer]:
    """Nothing but a loopback port is opened before the first page is asked for."""
    with FilteringProxy(egress.dialer, announced=AnnouncedHosts()) as proxy:
        egress_proxy = Proxy(proxy.address, proxy.username, proxy.password, proxy.announced)
        options = RenderOptions(
            proxy=egress_proxy,
            user_agent=settings.worker_user_agent,
            max_browser_bytes=settings.worker_render_memory_bytes,
            max_idle_bytes=settings.worker_render_memory_bytes // 2,
        )
        with Renderer(tools, options) as renderer:
            yield renderer
