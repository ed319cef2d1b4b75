from collections.abc import Callable, Iterator

import pytest

from nexus.web.egress import Egress, Limits
from nexus.web.public_address import AllowList
from tests.egress.sites import PUBLIC, Canary, Site, site_and_canary

# As on a loaded machine; what has to take too long has limits of its own.
SMALL = Limits(max_bytes=100_000, connect_seconds=60, read_seconds=60, total_seconds=60)


@pytest.fixture
def both() -> Iterator[tuple[Site, Canary]]:
    """After every test: nothing may have reached the canary."""
    with site_and_canary() as (site, canary):
        yield site, canary
        assert canary.hits == []


@pytest.fixture
def site(both: tuple[Site, Canary]) -> Site:
    return both[0]


@pytest.fixture
def canary(both: tuple[Site, Canary]) -> Canary:
    return both[1]


@pytest.fixture
def new_egress() -> Iterator[Callable[..., Egress]]:
    """Makes Egress objects that treat 127.0.0.2 as a public address, and nothing else."""
    made: list[Egress] = []

    def make(*allow: str, limits: Limits = SMALL, **others: object) -> Egress:
        made.append(
            Egress(allow=AllowList.parse([PUBLIC, *allow]), user_agent="Tester/1", limits=limits, **others)  # type: ignore[arg-type]
        )
        return made[-1]

    yield make
    for egress in made:
        egress.close()


@pytest.fixture
def egress(new_egress: Callable[..., Egress]) -> Egress:
    return new_egress()
