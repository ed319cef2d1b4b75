"""A process that renders a page and is killed while it does; see test_render_faults.py."""

import sys

from nexus.config import load_settings
from nexus.web.egress import Egress
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.public_address import AllowList
from nexus.web.rendering import Proxy, RenderOptions, find_renderer
from tests.render.browser_processes import PatientRenderer, render_alone

mode, url, allowed = sys.argv[1:]
found = find_renderer(load_settings())
assert found.tools, found.reason
with Egress(allow=AllowList.parse([allowed]), user_agent="unused") as egress, FilteringProxy(egress.dialer) as proxy:
    egress_proxy = Proxy(proxy.address, proxy.username, proxy.password)
    options = RenderOptions(proxy=egress_proxy, user_agent="NexusBot/1.0 (test)")
    with PatientRenderer(found.tools, options) as renderer:
        if mode == "alone":
            render_alone(renderer, url)
        else:
            renderer.render(url)
