"""Feeds as found in the wild, over real HTTP, each with the expected outcome."""

import gzip
import json
from pathlib import Path

import pytest

from nexus.podcasts.transcribe.openai import Endpoint
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Failure, Host, podcast_host
from tests.podcasts.podcast_run import PodcastRunner
from tests.podcasts.test_feed_parsing import hostile

FEED = "/feed.xml"


def episode(host: Host, number: int, said: str | None = None, **facts: object) -> str:
    """An item whose transcript the host serves."""
    where = host.put(f"/t{number}.vtt", vtt(said or f"Ada: Words of episode {number}."), "text/vtt")
    facts = {"audio": f"{host.url}/a{number}.mp3", "transcripts": ((where, "text/vtt"),), **facts}
    return item(number, **facts)  # type: ignore[arg-type]


def publish(host: Host, *items: str, head: str = "", **facts: object) -> str:
    return host.put(FEED, rss(list(items), head=head), "application/rss+xml", **facts)


def test_episodes_become_files(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 2, "Bob: Second."), episode(host, 1, "Ada: First."))
    assert runner.one(url).counts["new"] == 2
    folder = runner.folder(url)
    names = sorted(path.name for path in folder.transcripts.iterdir())
    assert names == [f"000{n} - Episode {n}.{kind}" for n in (1, 2) for kind in ("segments.json", "txt", "vtt")]
    assert runner.texts(url) == ["Ada: First.\n\n", "Bob: Second.\n\n"]
    first = runner.metadata(url)[0]
    assert first["episode"]["guid"] == "guid-1"
    assert first["transcript"]["speakers"] == ["Ada"]
    assert not (folder.path / ".work").exists() or not list((folder.path / ".work").iterdir())
    assert sorted(path.name for path in runner.root.iterdir() if not path.name.startswith(".")) == [
        "corpus_manifest.json", "feeds",
    ]  # fmt: skip


def test_second_run_sends_one_conditional_request(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 2), episode(host, 1))
    runner.one(url)
    host.clear_requests()
    assert runner.one(url).counts == {"new": 0, "updated": 0, "unchanged": 2, "no_transcript": 0, "failed": 0}
    assert [(each.path, each.status) for each in host.requests] == [(FEED, 304)]


def test_only_the_new_episode_is_fetched(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 1))
    runner.one(url)
    publish(host, episode(host, 2), episode(host, 1))
    host.clear_requests()
    assert runner.one(url).counts["new"] == 1
    assert host.paths(200) == [FEED, "/t2.vtt"]
    assert [each["episode"]["number"] for each in runner.metadata(url)] == [1, 2]


def test_corrected_title_and_transcript(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 1))
    runner.one(url)
    publish(host, episode(host, 1, title="Better title"))
    host.clear_requests()
    assert runner.one(url).counts["updated"] == 1
    assert host.paths(200) == [FEED]  # the transcript is the same
    (document,) = runner.metadata(url)
    assert (document["episode"]["title"], document["episode"]["stem"]) == ("Better title", "0001 - Episode 1")
    where = host.put("/better.vtt", vtt("Ada: Better words."), "text/vtt")
    publish(host, item(1, audio=f"{host.url}/a1.mp3", transcripts=((where, "text/vtt"),)))
    assert runner.one(url, skip_existing=True).counts["unchanged"] == 1
    assert runner.one(url).counts["updated"] == 1
    assert runner.texts(url) == ["Ada: Better words.\n\n"]


def test_changed_guid_makes_no_second_episode(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 1))
    runner.one(url)
    publish(host, episode(host, 1, guid="changed"))
    assert runner.one(url).counts["new"] == 0
    (document,) = runner.metadata(url)
    assert document["episode"]["guid"] == "guid-1"
    assert "guid:changed" in document["episode"]["aliases"]


def test_missing_guid_bad_date_and_duplicates(host: Host, runner: PodcastRunner) -> None:
    url = publish(
        host, episode(host, 3, guid=None),
        episode(host, 2, date="the other day"), episode(host, 2, date="the other day"),
        episode(host, 1, title="No audio", guid=None, audio=None), "<item></item>",
    )  # fmt: skip
    assert runner.one(url).counts["new"] == 3
    sources = [document["episode"]["guid_source"] for document in runner.metadata(url)]
    assert sorted(sources) == ["enclosure", "guid", "title_and_date"]
    assert runner.one(url).counts["unchanged"] == 3


def test_compressed_feeds(host: Host, runner: PodcastRunner) -> None:
    data = rss([episode(host, 1)])
    over_the_wire = host.put("/wire", gzip.compress(data), "application/xml", headers={"content-encoding": "gzip"})
    as_it_lies = host.put("/feed.xml.gz", gzip.compress(data), "application/x-gzip")
    assert runner.one(over_the_wire).counts["new"] == 1
    assert runner.one(as_it_lies).counts["new"] == 1


def test_permanent_redirect_is_stored_a_temporary_one_is_not(host: Host, runner: PodcastRunner) -> None:
    new = host.put("/new.xml", rss([episode(host, 1)]), "application/xml")
    old = host.put("/old.xml", "", status=301, headers={"location": "/new.xml"}, etag=False)
    summary = runner.one(old)
    assert (summary.moved_to, summary.counts["new"]) == (new, 1)
    host.clear_requests()
    assert runner.one(old).counts["unchanged"] == 1
    assert set(host.paths()) == {"/new.xml"}
    assert runner.one(new).counts["unchanged"] == 1  # the new address is the same feed, in the same folder
    assert len(list((runner.root / "feeds").iterdir())) == 1
    (move,) = runner.about(old)["moves"]
    assert (move["from"], move["to"], move["how"]) == (old, new, "permanent redirect")

    other = host.put("/temporary.xml", "", status=302, headers={"location": "/new.xml"}, etag=False)
    assert runner.one(other).moved_to is None
    assert runner.about(other)["url"] == other


def test_feed_that_says_it_moved(host: Host, runner: PodcastRunner) -> None:
    new = host.put("/new.xml", rss([episode(host, 2), episode(host, 1)]), "application/xml")
    url = publish(host, episode(host, 1), head=f"<itunes:new-feed-url>{new}</itunes:new-feed-url>")
    summary = runner.one(url)
    assert (summary.moved_to, summary.counts["new"]) == (new, 2)
    host.files.pop("/new.xml")  # the new address fails
    summary = runner.one(url, rss_retry_total=0)
    assert (summary.ok, summary.counts["unchanged"]) == (True, 1)
    assert [(each["stage"], each["code"]) for each in runner.incidents()] == [("feed", "http_404")]
    host.put("/new.xml", rss([episode(host, 2), episode(host, 1)]), "application/xml")
    assert runner.one(url).moved_to == new


def test_dry_run_finds_a_feed_that_moved(host: Host, runner: PodcastRunner) -> None:
    new = host.put("/new.xml", rss([episode(host, 2), episode(host, 1)]), "application/xml")
    url = publish(host, episode(host, 1), head=f"<itunes:new-feed-url>{new}</itunes:new-feed-url>")
    plan = runner.dry_run(url)
    assert (plan.url, plan.error, len(plan.episodes)) == (new, None, 2)
    assert not runner.root.exists()
    assert runner.one(url).counts["new"] == 2
    host.files.pop("/new.xml")  # the new address fails
    plan = runner.dry_run(url, rss_retry_total=0)
    assert (plan.url, plan.error, plan.unchanged) == (url, None, 1)
    assert runner.about(url)["url"] == new


def test_move_to_something_else_than_a_feed_is_ignored(host: Host, runner: PodcastRunner) -> None:
    for target in (f"{host.url}/nothing", "http://10.0.0.1/feed", host.put("/page", "<html>hello</html>", "text/html")):
        url = publish(host, episode(host, 1), head=f"<itunes:new-feed-url>{target}</itunes:new-feed-url>")
        assert runner.one(url, rss_retry_total=0).ok
        assert runner.about(url)["url"] == url
    assert [each["code"] for each in runner.incidents()] == ["http_404", "blocked_address", "not_a_feed"]
    assert not any(each["lost"] for each in runner.incidents())


@pytest.mark.parametrize(
    ("path", "code"),
    [("/gone", "http_404"), ("/page", "not_a_feed"), ("/loop", "too_many_redirects"), ("/big", "max_bytes_exceeded")],
)
def test_bad_feed_fails_alone(host: Host, runner: PodcastRunner, path: str, code: str) -> None:
    host.put("/page", "<html>This was a feed once</html>", "text/html")
    host.put("/loop", "", status=302, headers={"location": "/loop"}, etag=False)
    host.put("/big", rss([episode(host, n) for n in range(300)]), "application/xml")
    good = publish(host, episode(host, 1))
    run = runner.run(host.url + path, good, max_feed_bytes=50_000)
    bad, fine = run.feeds
    assert bad.error is not None
    assert bad.error["code"] == code
    assert (fine.ok, fine.counts["new"], run.every_feed_failed) == (True, 1, False)
    assert runner.about(host.url + path)["consecutive_failures"] == 1
    manifest = json.loads((runner.root / "corpus_manifest.json").read_text())
    assert sorted(bool(each["last_error"]) for each in manifest["feeds"]) == [False, True]


def test_bombs_and_foreign_entities_in_a_run(host: Host, runner: PodcastRunner, tmp_path: Path) -> None:
    feeds = hostile(tmp_path)
    names = ("billion laughs", "quadratic", "external entity", "parameter entity")
    urls = [host.put(f"/{number}", feeds[name], "application/xml") for number, name in enumerate(names)]
    *bad, fine = runner.run(*urls, publish(host, episode(host, 1))).feeds
    assert fine.counts["new"] == 1
    assert [(each.title, each.counts["no_transcript"]) for each in bad] == [("A Show", 1)] * 4  # without what is inside
    written = [path.read_text() for path in runner.root.rglob("*") if path.is_file()]
    assert not any("hunter2" in text for text in written)
    assert sum(map(len, written)) < 200_000


def test_two_of_5000_episodes(host: Host, runner: PodcastRunner) -> None:
    newest = [episode(host, number) for number in (5000, 4999)]
    url = publish(host, *newest, *(item(number) for number in range(4998, 0, -1)))
    summary = runner.one(url, max_episodes=2)
    assert (summary.selected, summary.counts["new"]) == (2, 2)
    (read,) = [event for event in runner.reporter.events if event["event"] == "feed_read"]
    assert read["episodes"] == 5000
    assert [document["episode"]["title"] for document in runner.metadata(url)] == ["Episode 4999", "Episode 5000"]


def test_private_addresses_are_refused(host: Host, runner: PodcastRunner) -> None:
    """The feed's own host is allowed; what it links or redirects to is another private host."""
    with podcast_host() as secret:
        runner.endpoint = Endpoint(f"{secret.url}/v1", None)  # configured by the operator, but not for feeds
        where = secret.put("/t.vtt", vtt("Ada: secret"), "text/vtt")
        leads = host.put("/a.mp3", "", status=302, headers={"location": f"{secret.url}/a.mp3"})
        url = publish(
            host, item(1, transcripts=((where, "text/vtt"),)), item(2, audio=f"{secret.url}/a.mp3"),
            item(4, audio=leads), episode(host, 3),
        )  # fmt: skip
        summary = runner.one(url, transcribe_missing=True)
        assert [failure["code"] for failure in summary.failures] == ["blocked_address"] * 3
        assert summary.counts["new"] == 1
        assert secret.requests == []


def test_next_best_transcript_when_the_best_fails(host: Host, runner: PodcastRunner) -> None:
    broken = host.put("/broken.vtt", "<html>Sorry</html>", "text/html")
    fine = host.put("/fine.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello.\n", "application/x-subrip")
    links = ((f"{host.url}/missing.vtt", "text/vtt"), (broken, "text/vtt"), (fine, "application/srt"))
    url = publish(host, item(1, transcripts=links))
    assert runner.one(url).counts["new"] == 1
    assert runner.metadata(url)[0]["transcript"]["format"] == "srt"


def test_failed_episode_is_retried_by_the_next_run(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 2), item(1, transcripts=((f"{host.url}/late.vtt", "text/vtt"),)))
    summary = runner.one(url)
    assert (summary.counts["new"], summary.counts["failed"]) == (1, 1)
    assert summary.failures[0]["code"] == "http_404"
    assert [each["scope"] for each in runner.incidents()] == ["episode"]
    host.put("/late.vtt", vtt("Ada: Here now."), "text/vtt")
    summary = runner.one(url)
    assert (summary.counts["new"], summary.counts["unchanged"]) == (1, 1)


def test_episode_without_any_transcript(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, item(1, audio=f"{host.url}/a.mp3"))
    assert runner.one(url).counts["no_transcript"] == 1
    assert runner.metadata(url)[0]["transcript"] is None
    assert runner.one(url).counts["unchanged"] == 1


def test_chapters_and_notes(host: Host, runner: PodcastRunner) -> None:
    chapters = {
        "version": "1.2.0",
        "chapters": [
            {"startTime": 0, "title": "Start"},
            {"startTime": 61.5, "title": "End", "url": "/x"},
            {"startTime": 9, "title": "ad", "toc": False},
        ],
    }
    where = host.put("/c.json", json.dumps(chapters), "application/json+chapters")
    tag = '<podcast:chapters url="{}" type="application/json+chapters"/><description>Notes</description>'
    url = publish(
        host, episode(host, 2, extra=tag.format(where)), episode(host, 1, extra=tag.format(host.url + "/no.json"))
    )
    assert runner.one(url).counts["new"] == 2
    without, with_chapters = runner.metadata(url)
    assert [(each["start_ms"], each["title"]) for each in with_chapters["chapters"]] == [(0, "Start"), (61_500, "End")]
    assert with_chapters["chapters"][1]["url"] == f"{host.url}/x"
    assert with_chapters["show_notes"] == {"html": "<p>Notes</p>", "text": "Notes"}
    assert without["chapters"] == []
    assert [(each["stage"], each["lost"]) for each in runner.incidents()] == [("chapters", False)]


@pytest.mark.parametrize(
    "title",
    ["../../../../etc/passwd", "/absolute", "..", ".hidden", "-rf", "a/b\\c:d*e?f\"g<h>i|j", "con", "\u202egnp.exe",
     "x" * 500, "日本語のタイトル" * 20, "e\u0301" * 80, "$(touch x); `id`", "\n\nnew\nlines", "👩‍👩‍👧" * 50, " "],
)  # fmt: skip
def test_titles_never_leave_the_folder(host: Host, runner: PodcastRunner, title: str) -> None:
    url = publish(host, episode(host, 1, title=title))
    assert runner.one(url).counts["new"] == 1
    (text,) = runner.folder(url).transcripts.glob("*.txt")
    assert text.name.startswith("0001 - ")
    assert not set(text.name) & set('/\\:*?"<>|$`;&\n\u202e')
    assert len(text.name.encode()) < 200
    written = {path for path in Path(runner.root).rglob("*") if path.is_file()}
    assert all(runner.root in path.resolve().parents for path in written)


def test_temporary_failures_are_retried(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 1), failures=[Failure(503), Failure(cut_after=40)])
    host.files["/t1.vtt"].failures = [Failure(429, {"retry-after": "1"}), Failure(500), Failure(cut_after=5)]
    assert runner.one(url).counts["new"] == 1
    assert [each.status for each in host.requests_to(FEED)] == [503, 200, 200]
    assert [each.status for each in host.requests_to("/t1.vtt")] == [429, 500, 200, 200]


def test_retry_after_of_an_hour_is_not_waited_for(host: Host, runner: PodcastRunner) -> None:
    url = publish(host, episode(host, 1))
    host.files["/t1.vtt"].failures = [Failure(429, {"retry-after": "3600"})]
    summary = runner.one(url)
    assert summary.failures[0]["code"] == "http_429"
    assert len(host.requests_to("/t1.vtt")) == 1


def test_damaged_files_of_one_feed_affect_no_other(host: Host, runner: PodcastRunner) -> None:
    """What can be fetched again is; the rest fails with a reason."""
    url = publish(host, episode(host, 2), episode(host, 1))
    other = host.put("/other.xml", rss([episode(host, 3)]), "application/xml")
    runner.run(url, other)
    folder = runner.folder(url)
    folder.about.write_text('{"schema_version": 1, "unknown": true}')
    folder.episodes.write_text("{torn")
    (folder.metadata / "0001 - Episode 1.metadata.json").write_bytes(b"")
    (folder.transcripts / "0002 - Episode 2.txt").write_bytes(b"cut")
    summary, fine = runner.run(url, other).feeds
    assert (summary.counts["new"], summary.counts["failed"], fine.counts["unchanged"]) == (2, 0, 1)
    assert set(runner.texts(url)) == {"Ada: Words of episode 1.\n\n", "Ada: Words of episode 2.\n\n"}
    folder.episodes.write_text('{"episodes": [{"number": "x"}]}')
    folder.about.unlink()
    broken, fine = runner.run(url, other).feeds
    assert (broken.ok, fine.ok) == (False, True)
