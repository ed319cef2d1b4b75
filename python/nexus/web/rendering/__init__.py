"""Renders pages in Chromium, driven by the scripts in node/ingest."""

from nexus.web.rendering.capability import Capability, Tools, find_renderer
from nexus.web.rendering.messages import RenderedPage
from nexus.web.rendering.renderer import Proxy, Renderer, RenderOptions, render_once

__all__ = ["Capability", "Proxy", "RenderOptions", "RenderedPage", "Renderer", "Tools", "find_renderer", "render_once"]
