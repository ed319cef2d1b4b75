"""A site on this machine, and the egress and text process that read it."""

from collections.abc import Iterator

import pytest

from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress, Limits
from nexus.web.public_address import AllowList
from tests.egress.sites import PUBLIC, Site
from tests.loopback_server import running
from tests.processes import WAIT_SECONDS


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site()) as made:
        yield made


@pytest.fixture
def egress() -> Iterator[Egress]:
    limits = Limits(max_bytes=100_000, connect_seconds=60, read_seconds=60, total_seconds=60)
    with Egress(allow=AllowList.parse((f"{PUBLIC}/32",)), user_agent="NudgeBot/0.1", limits=limits) as egress:
        yield egress


@pytest.fixture(scope="session")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, clock_seconds=WAIT_SECONDS) as opened:
        yield opened
