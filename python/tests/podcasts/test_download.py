"""Large files: resumed where they broke off, started over when they changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nexus.errors import HttpStatusError, MaxBytesError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.net.breaker import Breakers
from nexus.podcasts.net.client import FeedClient, FetchPolicy
from nexus.podcasts.net.download import download
from nexus.podcasts.net.pacing import HostPacing, StopFlag
from nexus.web.egress import Egress
from nexus.web.public_address import AllowList
from tests.podcasts.host import Failure, Host

AUDIO = bytes(range(256)) * 4000


@pytest.fixture
def policy(host: Host) -> Iterator[FetchPolicy]:
    stop = StopFlag()
    with Egress(allow=AllowList.parse([host.url.removeprefix("http://")]), user_agent="the test") as egress:
        yield FetchPolicy(egress, HostPacing(stop), Breakers(), stop)


@pytest.fixture
def client(policy: FetchPolicy, host: Host) -> FeedClient:
    return new_client(policy, host)


def new_client(policy: FetchPolicy, host: Host) -> FeedClient:
    """One for each run: a client does not retry the same file again after it gave up."""
    return FeedClient(policy, PodcastConfig(http_backoff_factor=0.0, timeout=60), host.url)


def fetch(client: FeedClient, host: Host, target: Path, max_bytes: int = 10**7) -> bytes:
    download(client, f"{host.url}/a.mp3", target, max_bytes=max_bytes)
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    return target.read_bytes()


def test_resumed_download_gets_each_byte_once(host: Host, client: FeedClient, tmp_path: Path) -> None:
    cuts = [Failure(cut_after=300_000), Failure(cut_after=300_000)]
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True, failures=cuts)
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO
    assert [each.headers.get("range") for each in host.requests] == [None, "bytes=300000-", "bytes=600000-"]
    assert sum(each.sent for each in host.requests) == len(AUDIO)
    fetch(client, host, tmp_path / "x" / "a")
    assert len(host.requests) == 3  # a complete file is not requested


def test_host_without_ranges_starts_over(host: Host, client: FeedClient, tmp_path: Path) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", failures=[Failure(cut_after=1000)])
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("changed", [AUDIO[::-1], AUDIO[:100]], ids=["same length", "shorter than the part"])
def test_file_that_changed_between_two_runs(
    host: Host, policy: FetchPolicy, tmp_path: Path, ranges: bool, changed: bytes
) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=ranges, failures=[Failure(cut_after=5000)] + [Failure(503)] * 9)
    with pytest.raises(HttpStatusError, match="503"):
        fetch(new_client(policy, host), host, tmp_path / "x" / "a")
    host.put("/a.mp3", changed, "audio/mpeg", ranges=ranges)
    assert fetch(new_client(policy, host), host, tmp_path / "x" / "a") == changed


def test_without_a_version_nothing_is_resumed(host: Host, client: FeedClient, tmp_path: Path) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True, etag=False, failures=[Failure(cut_after=1000)])
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO
    assert [each.headers.get("range") for each in host.requests] == [None, None]


def test_date_and_length_are_a_version(host: Host, client: FeedClient, tmp_path: Path) -> None:
    dated = {"last-modified": "Tue, 02 Jan 2024 10:00:00 GMT"}
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True, etag=False, headers=dated, failures=[Failure(cut_after=1000)])
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO
    assert [each.headers.get("range") for each in host.requests] == [None, "bytes=1000-"]


def test_too_large_file_fails(host: Host, client: FeedClient, tmp_path: Path) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True)
    with pytest.raises(MaxBytesError):
        download(client, f"{host.url}/a.mp3", tmp_path / "x" / "a", max_bytes=100_000)
