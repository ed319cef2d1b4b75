"""Renders pages in Chromium, driven by the scripts in node/ingest."""

from nexus.web.rendering.availability import RendererAvailability, Tools, find_renderer
from nexus.web.rendering.messages import RenderedPage
from nexus.web.rendering.renderer import Proxy, Renderer, RenderOptions

__all__ = [
    "Proxy",
    "RenderOptions",
    "RenderedPage",
    "Renderer",
    "RendererAvailability",
    "Tools",
    "find_renderer",
]
