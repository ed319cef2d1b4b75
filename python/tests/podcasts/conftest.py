"""A podcast host and a runner for each test; the child processes are shared."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nexus.podcasts.run.podcast_run import Pools
from tests.podcasts.host import Host, podcast_host
from tests.podcasts.podcast_run import PodcastRunner


@pytest.fixture(scope="session")
def pools() -> Iterator[Pools]:
    with Pools.opened() as opened:
        yield opened


@pytest.fixture
def host() -> Iterator[Host]:
    with podcast_host() as serving:
        yield serving


@pytest.fixture
def runner(tmp_path: Path, pools: Pools, host: Host) -> PodcastRunner:
    return PodcastRunner(tmp_path / "corpus", pools, allow=(host.url.removeprefix("http://"),))
