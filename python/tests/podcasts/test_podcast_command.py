"""`nexus podcast` on the command line, in scripts and in jobs."""

import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import jsonschema_rs
import psycopg
import pytest

from nexus.cli import build_app, podcast_main
from nexus.errors import ConfigError, FeedsSpecError
from nexus.podcasts.opml import read_opml
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host
from tests.processes import Nexus, eventually, plain_url

ROOT = Path(__file__).parents[3]


@pytest.fixture
def feed(host: Host) -> str:
    items = []
    for number in (2, 1):
        where = host.put(f"/t{number}.vtt", vtt(f"Ada: Number {number}."), "text/vtt")
        items.append(item(number, audio=f"{host.url}/a{number}.mp3", transcripts=((where, "text/vtt"),)))
    return host.put("/feed.xml", rss(items), "application/rss+xml")


def podcast(nexus: Nexus, corpus: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {
        "NEXUS_ENV": "test",
        "NEXUS_PODCAST_RSS_BACKOFF_FACTOR": "0",
        "NEXUS_PODCAST_TIMEOUT": "300",
        **environment,
    }
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return nexus.invoke("podcast", "--output-dir", str(corpus), *arguments, **given)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def test_from_a_feeds_spec_into_corpus_and_library(nexus_on_copy: Nexus, tmp_path: Path, feed: str, host: Host) -> None:
    (tmp_path / "feeds.spec.yaml").write_text(f"feeds:\n- url: {feed}\n  max_episodes: 1\n- {host.url}/missing\n")
    (tmp_path / "operator.yaml").write_text("profile: dev\nrss_retry_total: 0\n")
    asked = podcast(
        nexus_on_copy, tmp_path, "--config", str(tmp_path / "operator.yaml"), "--dry-run", "--keep-audio", "all"
    )
    assert (asked.returncode, asked.stderr) == (0, "")
    assert f"Episode 2: fetch transcript (vtt), keep audio {host.url}/t2.vtt" in asked.stdout
    assert "couldn't read the feed: " in asked.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feeds.spec.yaml", "operator.yaml"]

    done = podcast(nexus_on_copy, tmp_path, "--config", str(tmp_path / "operator.yaml"), "--user", str(UUID_1))
    assert done.returncode == 0, done.stderr
    assert re.search(r"A Show\s*│\s*1 │\s*0 │\s*0 │\s*0 │\s*0 │", done.stdout)
    assert "responded with status 404" in done.stderr
    assert "new 0001 Episode 2" in done.stderr
    status = json.loads((tmp_path / ".pipeline_status.json").read_text())
    assert (status["stage"], status["episode_idx"], status["episode_total"]) == ("done", 1, 1)
    check_against_the_documented_schemas(tmp_path)

    chosen = podcast(nexus_on_copy, tmp_path, "--feed", feed, "--json", "--run-id", "mine", "--max-episodes", "5")
    events = [json.loads(line) for line in chosen.stdout.splitlines()]
    assert [event["event"] for event in events][:2] == ["run_started", "feed_started"]
    assert events[-1]["feeds"][0]["counts"] == {"new": 1, "updated": 0, "unchanged": 1, "no_transcript": 0, "failed": 0}
    assert len(list(tmp_path.glob("feeds/*/runs/mine/run.json"))) == 1

    with psycopg.connect(plain_url(nexus_on_copy.environment["DATABASE_URL"])) as connection:
        connection.execute("DELETE FROM library_media")
        connection.execute("INSERT INTO episode_removals SELECT users.id, episodes.id FROM users, episodes")
    again = podcast(nexus_on_copy, tmp_path, "--feed", feed)
    assert "library earlier: 1. To add them again:" in again.stdout
    restored = podcast(nexus_on_copy, tmp_path, "--feed", feed, "--restore-removed")
    assert (restored.returncode, "left out" in restored.stdout) == (0, False)


UUID_1 = "11111111-1111-1111-1111-111111111111"


def check_against_the_documented_schemas(corpus: Path) -> None:
    page = (ROOT / "docs/reference/corpus.md").read_text().partition("## Schemas")[2]
    schemas = dict(re.findall(r"`([^`\n]+)`[^\n]*\n\n```json\n(.*?)```", page, re.DOTALL))
    files = {
        "feed.json": "feeds/*/feed.json", "episodes.json": "feeds/*/episodes.json",
        "metadata/….metadata.json": "feeds/*/metadata/*.json",
        "transcripts/….segments.json": "feeds/*/transcripts/*.json",
        "runs/<run id>/run.json": "feeds/*/runs/*/run.json", "corpus_manifest.json": "corpus_manifest.json",
        "corpus_incidents.jsonl": "corpus_incidents.jsonl", ".pipeline_status.json": ".pipeline_status.json",
        ".pipeline_runs/<run id>.json": ".pipeline_runs/*.json",
    }  # fmt: skip
    assert set(schemas) == set(files)
    for name, pattern in files.items():
        found = list(corpus.glob(pattern))
        assert found, pattern
        for path in found:
            texts = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
            for text in texts:
                jsonschema_rs.validate(json.loads(schemas[name]), json.loads(text))


@pytest.mark.parametrize(
    ("files", "arguments", "said"),
    [
        ({}, [], "There are no feeds"),
        ({"feeds.spec.yaml": "feeds: []"}, [], "There are no feeds"),
        ({"feeds.spec.yaml": "feeds: [{url: 'https://a.example', timeuot: 1}]"}, [], "did you mean 'timeout'"),
        ({}, ["--rss", "nonsense"], "--rss, feeds[0]: 'url' is not valid"),
        ({}, ["--rss", "https://a.example", "--rss-file", "x"], "give one of them"),
        ({"c.yaml": "max_episode: 1"}, ["--rss", "https://a.example", "--config", "c.yaml"], "did you mean 'max_ep"),
        ({}, ["--rss", "https://a.example", "--profile", "nope"], "There is no profile 'nope'"),
        ({}, ["--rss", "https://a.example", "--feed", "other"], "There is no feed 'other'"),
        ({}, ["--rss", "https://a.example", "--run-id", "../x"], "--run-id takes"),
        ({}, ["--rss", "https://a.example", "--since", "soon"], "'episode_since' is not valid"),
    ],
)  # fmt: skip
def test_bad_configuration_is_reported(tmp_path: Path, files: dict[str, str], arguments: list[str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    given = [str(tmp_path / word) if word.endswith(".yaml") else word for word in arguments]
    words = ["podcast", "--output-dir", str(tmp_path), "--no-library", *given]
    with pytest.raises(ConfigError, match=re.escape(said)):  # which main() turns into exit 2
        build_app(["podcast"])(words, standalone_mode=False)


def test_bad_spec_is_one_line_and_exit_2(nexus: Nexus, tmp_path: Path) -> None:
    answer = podcast(nexus, tmp_path, "--no-library")
    assert (answer.returncode, len(answer.stderr.splitlines())) == (2, 1)
    assert answer.stderr.startswith("nexus: There are no feeds")


def test_every_feed_failed(nexus: Nexus, tmp_path: Path, host: Host) -> None:
    answer = podcast(nexus, tmp_path, "--no-library", "--rss", f"{host.url}/a", "--rss", f"{host.url}/b")
    assert answer.returncode == 1


def test_private_network_is_refused_without_an_exception(nexus: Nexus, tmp_path: Path, feed: str, host: Host) -> None:
    answer = podcast(nexus, tmp_path, "--no-library", "--rss", feed, NEXUS_ENV="local")
    assert answer.returncode == 1
    assert host.requests == []


def test_stopped_run_is_continued_later(nexus: Nexus, tmp_path: Path, feed: str, host: Host) -> None:
    """With both signals at once: a run has five seconds to end by itself, and this one cannot."""
    gate = host.files["/t1.vtt"].gate = threading.Event()
    ways = {signal.SIGTERM: 143, signal.SIGINT: 130}
    arguments = ["--rss", feed, "--no-library"]
    environment = {"NEXUS_ENV": "test", "NEXUS_PODCAST_TIMEOUT": "300"}
    running = {
        number: nexus.start("podcast", "--output-dir", str(tmp_path / number.name), *arguments, **environment)
        for number in ways
    }
    others = "*/feeds/*/metadata/0002*"
    eventually(lambda: len(list(tmp_path.glob(others))) == len(ways), "the other episode was not made")
    eventually(lambda: len(host.requests_to("/t1.vtt")) >= len(ways), "the episode was not asked for")
    busy = podcast(nexus, tmp_path / "SIGINT", *arguments)
    assert (busy.returncode, "Another run is working" in busy.stderr) == (1, True)
    for number, process in running.items():
        process.send_signal(number)
    assert {number: process.wait(300) for number, process in running.items()} == ways
    gate.set()
    host.clear_requests()
    assert podcast(nexus, tmp_path / "SIGINT", *arguments).returncode == 0
    assert host.paths(200) == ["/t1.vtt"]


def test_opml_in_and_out(nexus: Nexus, tmp_path: Path, feed: str) -> None:
    opml = tmp_path / "in.opml"
    opml.write_text(
        '<?xml version="1.0"?><opml version="1.0"><body>'
        f'<outline text="Folder"><outline type="rss" text="A" xmlUrl="{feed}"/></outline>'
        '<outline text="B" xmlurl="feed://b.example/rss"/><outline text="no feed"/></body></opml>'
    )
    (tmp_path / "feeds.spec.yaml").write_text(f"feeds:\n- url: {feed}\n  max_episodes: 1\n")
    added = nexus.invoke("podcast", "import-opml", str(opml), "--output-dir", str(tmp_path))
    assert added.returncode == 0, added.stderr
    assert added.stdout.startswith("1 of 2 feeds added")
    expected = f"feeds:\n- url: {feed}\n  max_episodes: 1\n- https://b.example/rss\n"
    assert (tmp_path / "feeds.spec.yaml").read_text() == expected
    podcast(nexus, tmp_path, "--no-library", "--feed", feed)
    out = nexus.invoke("podcast", "export-opml", "--output-dir", str(tmp_path)).stdout
    assert f'text="A Show" title="A Show" xmlUrl="{feed}"' in out
    (tmp_path / "out.opml").write_text(out)
    again = nexus.invoke(
        "podcast", "import-opml", str(tmp_path / "out.opml"), "--feeds-spec", str(tmp_path / "new.json")
    )
    assert again.returncode == 0
    assert json.loads((tmp_path / "new.json").read_text())["feeds"] == [feed, "https://b.example/rss"]


ENTITY = '<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]><opml><body><outline xmlUrl="&x;"/></body></opml>'


@pytest.mark.parametrize(
    ("text", "said"),
    [("<rss/>", "its root is <rss>"), ("<opml", "this is not OPML"), ("", "this is not OPML"),
     (ENTITY, "external entity"), ("<opml><outline xmlUrl='javascript:x'/></opml>", "should start with http")],
)  # fmt: skip
def test_not_opml(text: str, said: str) -> None:
    with pytest.raises(FeedsSpecError, match=said):
        read_opml(text.encode(), name="in.opml")


@pytest.mark.parametrize(
    ("arguments", "said"), [([], "--output-dir is missing"), (["serve", "--port", "x"], "valid integer")]
)
def test_other_name_of_the_command(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["podcast", *arguments])
    with pytest.raises(SystemExit) as end:
        podcast_main()
    assert (end.value.code, said in capsys.readouterr().err) == (2, True)


def test_run_without_changes_loads_no_parser() -> None:
    """Loading them took a third of its time."""
    heavy = ["alembic", "av", "faster_whisper", "feedparser", "numpy"]
    code = (
        "import sys; from nexus.cli import build_app; build_app(['podcast']);"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
