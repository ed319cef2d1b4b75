"""Large files: resumed where they broke off, begun anew when they changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nexus.errors import MaxBytesError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.net.breaker import Breakers
from nexus.podcasts.net.client import FeedClient, FetchPolicy
from nexus.podcasts.net.download import download
from nexus.podcasts.net.pacing import HostPacing, StopFlag
from nexus.web.egress import Egress
from nexus.web.public_address import AllowList
from tests.podcasts.host import Host, Trouble

AUDIO = bytes(range(256)) * 4000


@pytest.fixture
def client(host: Host) -> Iterator[FeedClient]:
    stop = StopFlag()
    config = PodcastConfig(http_backoff_factor=0.0, timeout=5)
    with Egress(allow=AllowList.parse([host.url.removeprefix("http://")]), user_agent="the test") as egress:
        yield FeedClient(FetchPolicy(egress, HostPacing(stop), Breakers(), stop), config, host.url)


def fetch(client: FeedClient, host: Host, target: Path, max_bytes: int = 10**7) -> bytes:
    download(client, f"{host.url}/a.mp3", target, max_bytes=max_bytes)
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    return target.read_bytes()


def test_broken_off_twice_and_each_byte_sent_once(host: Host, client: FeedClient, tmp_path: Path) -> None:
    cuts = [Trouble(cut_after=300_000), Trouble(cut_after=300_000)]
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True, troubles=cuts)
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO
    assert [each.headers.get("range") for each in host.asked] == [None, "bytes=300000-", "bytes=600000-"]
    assert sum(each.sent for each in host.asked) == len(AUDIO)
    fetch(client, host, tmp_path / "x" / "a")
    assert len(host.asked) == 3  # what is whole is not asked for


def test_host_without_ranges_begins_anew(host: Host, client: FeedClient, tmp_path: Path) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", troubles=[Trouble(cut_after=1000)])
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO


@pytest.mark.parametrize("ranges", [True, False])
def test_file_that_changed_in_between(host: Host, client: FeedClient, tmp_path: Path, ranges: bool) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=ranges, troubles=[Trouble(cut_after=5000)] + [Trouble(503)] * 9)
    with pytest.raises(Exception, match="503"):
        download(client, f"{host.url}/a.mp3", tmp_path / "x" / "a", max_bytes=10**7)
    for other in (AUDIO[::-1], AUDIO[:100]):  # another one of the same length, then one shorter than what we have
        host.put("/a.mp3", other, "audio/mpeg", ranges=ranges)
        assert fetch(client, host, tmp_path / "x" / "a") == other
        (tmp_path / "x" / "a").unlink()
        host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=ranges, troubles=[Trouble(cut_after=5000)] + [Trouble(503)] * 9)
        with pytest.raises(Exception, match="503"):
            download(client, f"{host.url}/a.mp3", tmp_path / "x" / "a", max_bytes=10**7)


def test_host_that_names_no_version_is_not_trusted_with_the_rest(
    host: Host, client: FeedClient, tmp_path: Path
) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True, etag=False, troubles=[Trouble(cut_after=1000)])
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO
    assert [each.headers.get("range") for each in host.asked] == [None, None]


def test_date_and_length_name_a_version_too(host: Host, client: FeedClient, tmp_path: Path) -> None:
    dated = {"last-modified": "Tue, 02 Jan 2024 10:00:00 GMT"}
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True, etag=False, headers=dated, troubles=[Trouble(cut_after=1000)])
    assert fetch(client, host, tmp_path / "x" / "a") == AUDIO
    assert [each.headers.get("range") for each in host.asked] == [None, "bytes=1000-"]


def test_too_large_is_given_up(host: Host, client: FeedClient, tmp_path: Path) -> None:
    host.put("/a.mp3", AUDIO, "audio/mpeg", ranges=True)
    with pytest.raises(MaxBytesError):
        download(client, f"{host.url}/a.mp3", tmp_path / "x" / "a", max_bytes=100_000)
