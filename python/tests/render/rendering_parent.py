"""A process that renders a page and is killed while it does; see test_render_faults.py."""

import sys

from nexus.config import load_settings
from nexus.services.node_ingest import Proxy, Renderer, RenderOptions, find_renderer, render_once

mode, url, *proxy = sys.argv[1:]
found = find_renderer(load_settings())
assert found.tools, found.reason
options = RenderOptions(proxy=Proxy(*proxy), user_agent="NexusBot/1.0 (test)")
if mode == "once":
    render_once(found.tools, options, url)
else:
    with Renderer(found.tools, options) as renderer:
        renderer.render(url)
