from collections.abc import Iterator

import pytest

from nexus.config import load_settings
from nexus.services.node_ingest import Proxy, Renderer, RenderOptions, Tools, find_renderer
from tests.render.site import Site, site
from tests.render.stand_in_proxy import stand_in


@pytest.fixture(scope="session")
def tools() -> Tools:
    found = find_renderer(load_settings())
    assert found.tools, found.reason
    return found.tools


@pytest.fixture(scope="session")
def fixture_site() -> Iterator[Site]:
    with site() as running:
        yield running


@pytest.fixture(scope="session")
def door(fixture_site: Site) -> Iterator[Proxy]:
    with stand_in(fixture_site.server_port) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def options(door: Proxy) -> RenderOptions:
    return RenderOptions(proxy=door, user_agent="NexusBot/1.0 (test)")


@pytest.fixture(scope="session")
def renderer(tools: Tools, options: RenderOptions) -> Iterator[Renderer]:
    """One warm browser for all tests of this process that do not harm it."""
    with Renderer(tools, options) as running:
        yield running
