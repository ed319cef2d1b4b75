"""An entry that cannot be used, or a feed that fails, does not stop the other feeds."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from nexus.cli.podcast import opml
from nexus.system.atomic_files import temporary_prefix
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host
from tests.podcasts.podcast_run import PodcastRunner
from tests.podcasts.test_podcast_command import podcast
from tests.processes import Nexus


@pytest.fixture
def feed(host: Host) -> str:
    where = host.put("/t1.vtt", vtt("Ada: Number 1."), "text/vtt")
    return host.put("/feed.xml", rss([item(1, transcripts=((where, "text/vtt"),))]), "application/rss+xml")


def summary_of(corpus: Path) -> dict[str, Any]:
    (path,) = (corpus / ".pipeline_runs").glob("*.json")
    document: dict[str, Any] = json.loads(path.read_text())
    return document


@pytest.mark.parametrize(
    ("entry", "operator", "named", "said"),
    [
        ({"url": "URL", "episode_since": "2024-02-01", "episode_until": "2024-01-01"}, "", "URL", "comes after"),
        ({"url": "URL", "episode_until": "2023-01-01"}, "episode_since: 2023-06-01", "URL", "comes after"),
        ({"url": "URL", "timeuot": 3}, "", "URL", "did you mean 'timeout'"),
        ({"url": "URL", "timeout": 0}, "", "URL", "'timeout' is not valid"),
        ({"timeout": 3}, "", "feeds[0]", "the key 'url' is missing"),
        ("ftp://example.org/feed", "", "feeds[0]", "should start with http"),
        ("https://me:hunter2@example.org", "", "feeds[0]", "no user name or password"),
        (7, "", "feeds[0]", "an address or a mapping"),
    ],
)
def test_an_entry_that_cannot_be_used_is_a_failed_feed(
    nexus: Nexus, tmp_path: Path, feed: str, entry: Any, operator: str, named: str, said: str
) -> None:
    other = feed.replace("feed.xml", "other.xml")
    if isinstance(entry, dict) and "url" in entry:
        entry = entry | {"url": other}
    (tmp_path / "feeds.spec.json").write_text(json.dumps({"feeds": [entry, feed]}))
    (tmp_path / "operator.yaml").write_text(operator)
    arguments = ["--no-library", "--feeds-spec", str(tmp_path / "feeds.spec.json")]
    arguments += ["--config", str(tmp_path / "operator.yaml")]

    planned = podcast(nexus, tmp_path, *arguments, "--dry-run")
    assert (planned.returncode, "couldn't read the feed: " in planned.stdout, said in planned.stdout) == (0, True, True)

    done = podcast(nexus, tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    assert "new 0001 Episode 1" in done.stderr
    summary = summary_of(tmp_path)
    assert (summary["counts"]["feeds"], summary["counts"]["feeds_failed"], summary["counts"]["new"]) == (2, 1, 1)
    (failure,) = summary["failures"]
    assert (failure["feed"], said in failure["reason"]) == (named.replace("URL", other), True)
    assert "hunter2" not in json.dumps(summary) + done.stdout + done.stderr
    status = json.loads((tmp_path / ".pipeline_status.json").read_text())
    assert (status["feeds_failed"], status["failures"]) == (1, summary["failures"])


def test_without_a_usable_entry_the_run_fails(nexus: Nexus, tmp_path: Path) -> None:
    (tmp_path / "feeds.spec.yaml").write_text("feeds:\n- url: https://a.example\n  timeout: 0\n- ftp://b.example\n")
    answer = podcast(nexus, tmp_path, "--no-library")
    assert (answer.returncode, answer.stderr.count("\n"), "'timeout' is not valid" in answer.stderr) == (2, 1, True)


def test_summary_lists_failures_with_reasons(runner: PodcastRunner, host: Host, feed: str) -> None:
    lost = item(2, transcripts=((f"{host.url}/lost.vtt", "text/vtt"),))
    partly = host.put("/partly.xml", rss([lost], title="Partly"), "application/rss+xml")
    gone = f"{host.url}/gone.xml"
    run = runner.run(feed, partly, gone, http_retry_total=0, episode_retry_max=0)
    assert run.counts() == {
        "feeds": 3, "feeds_failed": 1, "new": 1, "updated": 0, "unchanged": 0, "no_transcript": 0, "failed": 1,
        "audio_kept": 0, "audio_waiting": 0,
    }  # fmt: skip
    document = summary_of(runner.root)
    assert document["counts"] == run.counts()
    found = {(each["feed"], each.get("episode"), each["code"]) for each in document["failures"]}
    assert found == {(partly, "Episode 2", "http_404"), (gone, None, "http_404")}
    assert all("responded with status 404" in each["reason"] for each in document["failures"])
    status = json.loads((runner.root / ".pipeline_status.json").read_text())
    assert (status["feeds_failed"], status["episodes_failed"], len(status["failures"])) == (1, 1, 2)


@pytest.mark.parametrize(
    "damage",
    [{"urls": 7}, {"consecutive_failures": "many"}, {"moves": None}, {"url": None}, {"episodes": "two"}],
)
def test_damaged_state_of_one_feed_stops_no_run(
    runner: PodcastRunner, host: Host, feed: str, damage: dict[str, Any]
) -> None:
    gone = f"{host.url}/gone.xml"
    runner.run(gone, rss_retry_total=0)
    about = runner.folder(gone).about
    about.write_text(json.dumps(json.loads(about.read_text()) | damage))
    run = runner.run(gone, feed, rss_retry_total=0)
    assert [(each.url, each.ok) for each in run.feeds] == [(gone, False), (feed, True)]


@pytest.mark.parametrize("folder", ["OUTSIDE", "../outside", "link/deeper", "a/../../outside"])
def test_a_cache_folder_outside_the_corpus_is_not_written_to(
    runner: PodcastRunner, tmp_path: Path, feed: str, folder: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    runner.root.mkdir()
    (runner.root / "link").symlink_to(outside)
    run = runner.run({"url": feed, "rss_cache_dir": folder.replace("OUTSIDE", str(outside))})
    assert run.feeds[0].ok
    assert list(outside.iterdir()) == []
    assert list(runner.folder(feed).cache.iterdir()) != []
    (incident,) = runner.incidents()
    assert (incident["stage"], incident["lost"], "rss_cache_dir" in incident["message"]) == ("feed cache", False, True)


def test_files_with_addresses_are_readable_by_the_owner_only(runner: PodcastRunner, host: Host, feed: str) -> None:
    gone = f"{host.url}/gone.xml"
    incidents = runner.root / "corpus_incidents.jsonl"
    runner.root.mkdir()
    incidents.write_text("")
    incidents.chmod(0o644)
    runner.run(feed, gone, rss_retry_total=0)
    folder = runner.folder(feed)
    kept = [incidents, runner.root / "corpus_manifest.json", folder.about, folder.path / "episodes.json"]
    kept += [*folder.cache.iterdir(), *folder.metadata.iterdir(), *folder.runs.glob("*/run.json")]
    assert len(kept) >= 8
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in kept} == {path.name: "0o600" for path in kept}


def test_files_the_server_reads_hide_secrets_in_addresses(runner: PodcastRunner, host: Host, feed: str) -> None:
    lost = item(2, transcripts=((f"{host.url}/lost.vtt?token=hunter2", "text/vtt"),))
    partly = host.put("/partly.xml", rss([lost], title="Partly"), "application/rss+xml")
    runner.run(f"{feed}?auth=hunter2", f"{partly}?auth=hunter2", f"{host.url}/gone.xml?auth=hunter2",
               http_retry_total=0, episode_retry_max=0, rss_retry_total=0)  # fmt: skip
    document = summary_of(runner.root)
    shown = [*(runner.root / ".pipeline_runs").iterdir(), runner.root / ".pipeline_status.json"]
    assert [path.name for path in shown if "hunter2" in path.read_text()] == []
    assert f"{host.url}/gone.xml?auth=[hidden]" in [failure["feed"] for failure in document["failures"]]
    assert document["counts"]["feeds_failed"] == 1


def test_unexpected_files_among_run_records_fail_no_run(runner: PodcastRunner, feed: str) -> None:
    for folder in (".pipeline_runs", ".pipeline_status"):
        (runner.root / folder).mkdir(parents=True)
        (runner.root / folder / "dangling.json").symlink_to("nowhere")
        (runner.root / folder / ".planted.tmp").mkdir()
        os.utime(runner.root / folder / ".planted.tmp", (0, 0))
        (runner.root / folder / "old.json").touch()
        os.utime(runner.root / folder / "old.json", (0, 0))
    runner.one(feed)
    (runner.folder(feed).runs / "dangling").symlink_to("nowhere")
    assert runner.one(feed).ok
    assert len(list((runner.root / ".pipeline_runs").glob("run-*.json"))) == 2
    assert not (runner.root / ".pipeline_status/old.json").exists()
    assert runner.incidents() == []


@pytest.mark.parametrize("alone", [True, False])
def test_run_removes_what_a_killed_run_left_and_nothing_the_server_is_writing(
    runner: PodcastRunner, feed: str, alone: bool
) -> None:
    """Also a run of one feed, beside which others may run."""
    runner.root.mkdir()
    theirs, *ours = (
        runner.root / f"{temporary_prefix(name)}0123.tmp"
        for name in ("feeds.spec.yaml", "corpus_manifest.json", ".pipeline_status.json")
    )
    for left in (theirs, *ours):
        left.touch()
    assert runner.run(feed, alone=alone).feeds[0].ok
    assert [left.exists() for left in (theirs, *ours)] == [True, False, False]


def test_incidents_do_not_follow_a_symbolic_link(runner: PodcastRunner, host: Host, feed: str, tmp_path: Path) -> None:
    runner.root.mkdir()
    (runner.root / "corpus_incidents.jsonl").symlink_to(tmp_path / "victim")
    run = runner.run(feed, f"{host.url}/gone.xml", rss_retry_total=0)
    assert [each.ok for each in run.feeds] == [True, False]
    assert not (tmp_path / "victim").exists()


def test_opml_that_takes_too_long_is_refused(nexus: Nexus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opml, "READ_SECONDS", 2.0)
    attributes = " ".join(f'a{number}=""' for number in range(200_000))
    (tmp_path / "in.opml").write_text(f"<opml><body><outline {attributes}/></body></opml>")
    answer = nexus.invoke("podcast", "import-opml", str(tmp_path / "in.opml"), "--output-dir", str(tmp_path))
    assert (answer.returncode, "cannot be read in 2 seconds" in answer.stderr) == (2, True), answer.stderr
    assert not (tmp_path / "feeds.spec.yaml").exists()


def test_opml_import_normalizes_addresses(nexus: Nexus, tmp_path: Path) -> None:
    (tmp_path / "in.opml").write_text('<opml><body><outline xmlUrl="https://a.example/a b&#10;c"/></body></opml>')
    answer = nexus.invoke("podcast", "import-opml", str(tmp_path / "in.opml"), "--output-dir", str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    spec = tmp_path / "feeds.spec.yaml"
    assert spec.read_text() == "feeds:\n- https://a.example/a%20bc\n"
    assert spec.stat().st_mode & 0o777 == 0o600
