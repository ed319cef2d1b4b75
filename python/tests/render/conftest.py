import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nexus.config import load_settings
from nexus.web.egress import Egress
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.egress.requested_hosts import RequestedHosts
from nexus.web.public_address import AllowList
from nexus.web.rendering import Proxy, Renderer, RenderOptions, Tools, find_renderer
from tests.conftest import SHARED
from tests.render.browser_processes import PatientRenderer
from tests.render.site import Site, site

# Only root runs the browser as another user.
collect_ignore = [] if os.geteuid() == 0 else ["test_render_account.py"]


@pytest.fixture(scope="session", autouse=True)
def own_temporary_folder() -> Iterator[None]:
    """Other test processes render at the same time; leftovers here must be ours.

    Not in the folder of the run: sockets are in it, whose paths would be too long.
    """
    folder = tempfile.mkdtemp(prefix="r-", dir=Path(os.environ[SHARED]).parent)
    Path(folder).chmod(0o711)  # the browser's account must be able to enter it, else its folders are made elsewhere
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", folder)
        patch.setenv("TMPDIR", folder)
        yield
    shutil.rmtree(folder)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every account may enter, unlike pytest's own: for programs that the browser's account runs."""
    folder = Path(tempfile.mkdtemp(prefix="open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def tools() -> Tools:
    found = find_renderer(load_settings())
    assert found.tools, found.reason
    return found.tools


@pytest.fixture(scope="session")
def fixture_site() -> Iterator[Site]:
    with site() as running:
        yield running


@pytest.fixture(autouse=True)
def no_earlier_requests(fixture_site: Site) -> None:
    """Tests wait until a path was requested: not by an earlier test that uses the same path."""
    fixture_site.seen.clear()
    fixture_site.requests.clear()


@pytest.fixture(scope="session")
def egress_proxy(fixture_site: Site) -> Iterator[Proxy]:
    """The product's own proxy, with an exception for the fixture site."""
    allow = AllowList.parse([f"127.0.0.1:{fixture_site.server_port}"])
    with (
        Egress(allow=allow, user_agent="unused") as egress,
        FilteringProxy(egress.dialer, requested_hosts=RequestedHosts()) as proxy,
    ):
        yield Proxy(proxy.address, proxy.username, proxy.password, proxy.requested_hosts)


@pytest.fixture(scope="session")
def options(egress_proxy: Proxy) -> RenderOptions:
    return RenderOptions(proxy=egress_proxy, user_agent="NexusBot/1.0 (test)")


@pytest.fixture(scope="session")
def renderer(tools: Tools, options: RenderOptions) -> Iterator[Renderer]:
    """One shared browser for all tests of this process that do not damage it."""
    with PatientRenderer(tools, options) as running:
        yield running
