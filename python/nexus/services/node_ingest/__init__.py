"""Pages that only a browser can read: Chromium, driven by the scripts in node/ingest."""

from nexus.services.node_ingest.answers import RenderedPage
from nexus.services.node_ingest.capability import Capability, Tools, find_renderer
from nexus.services.node_ingest.renderer import Proxy, Renderer, RenderOptions, render_once

__all__ = ["Capability", "Proxy", "RenderOptions", "RenderedPage", "Renderer", "Tools", "find_renderer", "render_once"]
