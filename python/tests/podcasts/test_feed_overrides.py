"""Each key a feed may set for itself changes the run of that feed."""

import math
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from nexus.podcasts.corpus.layout import feed_slug
from nexus.podcasts.feed_options import OVERRIDE_KEYS
from nexus.system.atomic_files import temporary_prefix
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Failure, Host
from tests.podcasts.podcast_run import PodcastRunner, SkippedPauses

Numbers = list[int]


@pytest.fixture
def feed(host: Host) -> str:
    """Four episodes of four days, 4 being the newest."""
    items = []
    for number in (4, 3, 2, 1):
        where = host.put(f"/t{number}.vtt", vtt(f"Ada: Number {number}."), "text/vtt")
        items.append(item(number, transcripts=((where, "text/vtt"),)))
    return host.put("/feed.xml", rss(items), "application/rss+xml")


def numbers(runner: PodcastRunner, feed: str) -> Numbers:
    return sorted(int(document["episode"]["title"].split()[1]) for document in runner.metadata(feed))


@pytest.mark.parametrize(
    ("overrides", "chosen"),
    [
        ({"max_episodes": 2}, [3, 4]),
        ({"max_episodes": 2, "episode_order": "oldest"}, [1, 2]),
        ({"episode_offset": 3}, [1]),
        ({"episode_since": "2024-01-04"}, [3, 4]),
        ({"episode_until": "2024-01-03"}, [1, 2]),
    ],
)
def test_which_episodes(runner: PodcastRunner, feed: str, overrides: dict[str, Any], chosen: Numbers) -> None:
    runner.one({"url": feed, **overrides})
    assert numbers(runner, feed) == chosen


def test_user_agent(host: Host, runner: PodcastRunner, feed: str) -> None:
    runner.one({"url": feed, "user_agent": "Just/Me", "max_episodes": 1})
    assert {each.headers["user-agent"] for each in host.requests} == {"Just/Me"}


def test_timeout(host: Host, runner: PodcastRunner, feed: str) -> None:
    """The host does not respond until the test is over."""
    host.files["/feed.xml"].gate = threading.Event()
    summary = runner.one({"url": feed, "timeout": 1, "rss_retry_total": 0})
    host.files["/feed.xml"].gate.set()
    assert summary.error is not None
    assert (summary.error["code"], "1 second" in summary.error["message"]) == ("timeout", True)


@pytest.mark.parametrize("tries", [0, 2])
def test_retries_of_the_feed(host: Host, runner: PodcastRunner, feed: str, tries: int) -> None:
    host.files["/feed.xml"].failures = [Failure(503)] * 9
    assert runner.one({"url": feed, "rss_retry_total": tries, "http_retry_total": 9}).ok is False
    assert len(host.requests_to("/feed.xml")) == tries + 1


@pytest.mark.parametrize("tries", [0, 2])
def test_retries_of_files(host: Host, runner: PodcastRunner, feed: str, tries: int) -> None:
    host.files["/t4.vtt"].failures = [Failure(503)] * 9
    entry = {"url": feed, "http_retry_total": tries, "rss_retry_total": 9, "episode_retry_max": 0, "max_episodes": 1}
    assert runner.one(entry).counts["failed"] == 1
    assert len(host.requests_to("/t4.vtt")) == tries + 1


def test_failed_episodes_are_processed_again(host: Host, runner: PodcastRunner, feed: str) -> None:
    host.files["/t4.vtt"].failures = [Failure(503)] * 2
    entry = {"url": feed, "http_retry_total": 0, "episode_retry_max": 1, "max_episodes": 1}
    assert runner.one(entry).counts["failed"] == 1
    host.files["/t4.vtt"].failures = [Failure(503)] * 2
    assert runner.one(entry | {"episode_retry_max": 2}).counts["new"] == 1


@pytest.mark.parametrize(("retries", "episode_retries"), [(2, 3), (0, 2), (2, 0)])
def test_retries_of_files_and_episodes_add_up(
    host: Host, runner: PodcastRunner, feed: str, retries: int, episode_retries: int
) -> None:
    """They were multiplied: an episode that was processed again retried each request as often as the first time."""
    host.files["/t4.vtt"].failures = [Failure(503)] * 99
    entry = {"url": feed, "http_retry_total": retries, "episode_retry_max": episode_retries, "max_episodes": 1}
    assert runner.one(entry).counts["failed"] == 1
    assert len(host.requests_to("/t4.vtt")) == 1 + retries + episode_retries


def test_each_file_of_an_episode_has_its_own_retries(host: Host, runner: PodcastRunner) -> None:
    urls = [host.put(f"/{name}.vtt", vtt("Ada: Hello."), "text/vtt", failures=[Failure(503)] * 99) for name in "ab"]
    feed = host.put("/two.xml", rss([item(1, transcripts=tuple((url, "text/vtt") for url in urls))]), "text/xml")
    runner.one({"url": feed, "http_retry_total": 2, "episode_retry_max": 1})
    assert [len(host.requests_to(f"/{name}.vtt")) for name in "ab"] == [4, 4]


def test_each_episode_has_its_own_retries(host: Host, runner: PodcastRunner) -> None:
    """Even if two of them link to the same file."""
    url = host.put("/t.vtt", vtt("Ada: Hello."), "text/vtt", failures=[Failure(503)] * 99)
    items = [item(number, transcripts=((url, "text/vtt"),)) for number in (2, 1)]
    feed = host.put("/two.xml", rss(items), "text/xml")
    runner.one({"url": feed, "http_retry_total": 2, "episode_retry_max": 1}, workers=1)
    assert len(host.requests_to("/t.vtt")) == 8


@pytest.mark.parametrize(
    ("key", "path", "others"),
    [
        ("rss_backoff_factor", "/feed.xml", {}),
        ("http_backoff_factor", "/t4.vtt", {}),
        ("episode_retry_delay_sec", "/t4.vtt", {"http_retry_total": 0, "episode_retry_max": 2}),
    ],
)
def test_pauses_grow_with_their_factor(
    host: Host, runner: PodcastRunner, feed: str, key: str, path: str, others: dict[str, Any]
) -> None:
    """Measures the pause the run requests, not how long a busy machine takes."""
    host.files[path].failures = [Failure(503), Failure(503)]
    pauses: list[float] = []
    runner.stop = SkippedPauses(pauses.append)
    assert runner.one({"url": feed, key: 0.5, "max_episodes": 1, **others}).counts["new"] == 1
    waited = [pause for pause in pauses if pause > 0.02]
    assert waited == ([0.5, 1.0] if "backoff" in key else [0.5, 0.5])


def test_pause_between_episodes(host: Host, runner: PodcastRunner, feed: str) -> None:
    pauses: list[float] = []
    runner.stop = SkippedPauses(pauses.append)
    assert runner.one({"url": feed, "delay_ms": 300}).counts["new"] == 4
    assert [pause for pause in pauses if pause > 0.02] == [0.3] * 4


def test_minimum_time_between_requests(host: Host, runner: PodcastRunner, feed: str) -> None:
    """Measured where the pauses are requested: at the host, a late first request would shorten the interval."""
    interval = 600
    pauses: list[tuple[int, int]] = []

    def note(seconds: float) -> None:
        if seconds > 0.02:
            pauses.append((math.ceil(seconds / interval), len(host.requests)))

    runner.stop = SkippedPauses(note)
    entry = {"url": feed, "host_request_interval_ms": interval * 1000}
    assert runner.one(entry, workers=1).counts["new"] == 4
    # The test does not wait, so each pause is one interval longer than the last; no request precedes its pause.
    assert pauses == [(1, 1), (2, 2), (3, 3), (4, 4)]


@pytest.mark.parametrize("limit", [1, 2])
def test_requests_at_the_same_time(host: Host, runner: PodcastRunner, feed: str, limit: int) -> None:
    """They wait for each other, so that each time as many are sent as may be, and a little, so that one more shows."""
    together = threading.Barrier(limit, timeout=300)

    def wait(path: str) -> None:
        if path != "/feed.xml":
            together.wait()
            time.sleep(0.05)

    host.on_request = wait
    assert runner.one({"url": feed, "host_max_concurrent": limit}, workers=4).counts["new"] == 4
    assert host.max_concurrent == limit


def test_requests_are_not_bounded_without_it(host: Host, runner: PodcastRunner, feed: str) -> None:
    """All four wait for each other, so they must be sent concurrently."""
    together = threading.Barrier(4, timeout=300)

    def wait(path: str) -> None:
        if path != "/feed.xml":
            together.wait()

    host.on_request = wait
    assert runner.one({"url": feed, "host_max_concurrent": 0}, workers=4).counts["new"] == 4


BREAKER = {
    "circuit_breaker_enabled": True, "circuit_breaker_failure_threshold": 2,
    "http_retry_total": 0, "episode_retry_max": 0,
}  # fmt: skip


def fail_all_files(host: Host) -> None:
    for number in (4, 3, 2, 1):
        host.files[f"/t{number}.vtt"].failures = [Failure(500)] * 9


def file_requests(host: Host) -> int:
    return len([path for path in host.paths() if path != "/feed.xml"])


def test_circuit_breaker_stops_requests(host: Host, runner: PodcastRunner, feed: str) -> None:
    fail_all_files(host)
    summary = runner.one({"url": feed, **BREAKER}, workers=1)
    assert [failure["code"] for failure in summary.failures] == ["http_500", "http_500", "circuit_open", "circuit_open"]
    assert file_requests(host) == 2


def test_circuit_breaker_is_off_by_default_and_has_a_threshold(host: Host, runner: PodcastRunner, feed: str) -> None:
    fail_all_files(host)
    runner.one({"url": feed, **BREAKER, "circuit_breaker_enabled": False}, workers=1)
    assert file_requests(host) == 4
    host.clear_requests()
    runner.one({"url": feed, **BREAKER, "circuit_breaker_failure_threshold": 3}, workers=1)
    assert file_requests(host) == 3


def test_circuit_breaker_window(host: Host, runner: PodcastRunner, feed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures further apart than the window are not counted together."""
    clock = iter(range(0, 100_000, 20))
    monkeypatch.setattr("nexus.podcasts.net.breaker.monotonic", lambda: float(next(clock)))
    fail_all_files(host)
    runner.one({"url": feed, **BREAKER, "circuit_breaker_window_seconds": 10}, workers=1)
    assert file_requests(host) == 4


def test_circuit_breaker_cooldown(
    host: Host, runner: PodcastRunner, feed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the cooldown one request is sent; it fails, and the circuit opens again at once."""
    clock = iter(range(0, 100_000, 5))
    monkeypatch.setattr("nexus.podcasts.net.breaker.monotonic", lambda: float(next(clock)))
    fail_all_files(host)
    entry = {"url": feed, **BREAKER, "circuit_breaker_window_seconds": 1000, "circuit_breaker_cooldown_seconds": 1}
    runner.one(entry, workers=1)
    assert file_requests(host) == 4


@pytest.mark.parametrize(("scope", "count"), [("feed", 4), ("host", 2)])
def test_circuit_breaker_scope(host: Host, runner: PodcastRunner, feed: str, scope: str, count: int) -> None:
    """Two feeds of one host: the failures of one count for the other only with the scope host."""
    fail_all_files(host)
    host.put("/other.xml", host.files["/feed.xml"].body, "application/rss+xml")
    entries = [{"url": url, **BREAKER, "circuit_breaker_scope": scope} for url in (feed, f"{host.url}/other.xml")]
    runner.run(*entries, workers=1, feed_workers=1)
    assert len([path for path in host.paths() if path.startswith("/t")]) == count


def test_conditional_get_can_be_turned_off(host: Host, runner: PodcastRunner, feed: str) -> None:
    for conditional in (True, False):
        runner.one({"url": feed, "rss_conditional_get": conditional})
        host.clear_requests()
        runner.one({"url": feed, "rss_conditional_get": conditional})
        assert [each.status for each in host.requests] == [304 if conditional else 200]


def test_cache_folder(host: Host, runner: PodcastRunner, feed: str) -> None:
    runner.one({"url": feed, "rss_cache_dir": "elsewhere"})
    assert len(list((runner.root / "elsewhere").iterdir())) == 2
    assert not runner.folder(feed).cache.exists()


def test_a_cache_folder_that_feeds_share(runner: PodcastRunner, feed: str) -> None:
    """A feed removes its own half-written files, never those of another feed."""
    folder = runner.root / "shared"
    folder.mkdir(parents=True)
    cached = [f"{feed_slug(feed)}.feed", f"{feed_slug(feed)}.feed.json"]
    own = [folder / f"{temporary_prefix(name)}0123.tmp" for name in cached]
    others = folder / ".0123456789abcdef.0123456789abcdef.tmp"
    for path in (*own, others):
        path.touch()
    assert runner.one({"url": feed, "rss_cache_dir": "shared"}).ok
    assert sorted(path.name for path in folder.iterdir()) == [others.name, *cached]


def test_audio_of_one_feed(host: Host, runner: PodcastRunner, feed: str) -> None:
    """Without a library it stays in the corpus."""
    host.put("/a3.mp3", b"sound", "audio/mpeg")
    with_audio = host.files["/feed.xml"].body.replace(
        b"<item>", b'<item><enclosure url="%b/a3.mp3"/>' % host.url.encode()
    )
    host.put("/feed.xml", with_audio, "application/rss+xml")
    assert runner.one({"url": feed, "keep_audio": "all", "max_episodes": 1}).audio_kept == 1
    assert [path.read_bytes() for path in runner.folder(feed).audio.iterdir()] == [b"sound"]


def test_every_key_is_tested_here() -> None:
    """Fails for a key that this file does not mention."""
    source = Path(__file__).read_text()
    assert [key for key in OVERRIDE_KEYS if f'"{key}"' not in source] == []
