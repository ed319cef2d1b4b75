"""Kills runs, and compares what they leave, without what differs between any two runs."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host
from tests.processes import plain_url

EPISODES = 12
COMMAND = [sys.executable, "-P", "-m", "nexus.cli", "podcast", "--json"]
VOLATILE = {
    "processing", "last_fetched_at", "last_succeeded_at", "updated_at", "last_run_id", "at", "run_id", "started_at",
    "finished_at", "etag",
}  # fmt: skip


def publish(host: Host) -> str:
    """Transcripts, notes and chapters; a feed that moved; one episode whose transcript is missing."""
    items = []
    for number in range(EPISODES, 0, -1):
        where = host.put(f"/t{number}.vtt", vtt(*(f"Ada: Sentence {n} of {number}." for n in range(30))), "text/vtt")
        chapters = host.put(f"/c{number}.json", '{"chapters": [{"startTime": 1, "title": "One"}]}', "application/json")
        extra = f'<podcast:chapters url="{chapters}" type="application/json+chapters"/><description>Notes</description>'
        links = ((f"{host.url}/never.vtt", "text/vtt"),) if number == 5 else ((where, "text/vtt"),)
        items.append(item(number, audio=f"{host.url}/a{number}.mp3", transcripts=links, extra=extra))
    host.put("/new.xml", rss(items), "application/rss+xml")
    return host.put("/feed.xml", "", status=301, headers={"location": "/new.xml"}, etag=False)


def environment(database_url: str, data_dir: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    return kept | {"NEXUS_ENV": "test", "DATABASE_URL": database_url, "NEXUS_DATA_DIR": str(data_dir)}


def run(corpus: Path, feed: str, env: dict[str, str], *more: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "--output-dir", str(corpus), "--rss", feed, *more]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def run_and_kill(corpus: Path, feed: str, env: dict[str, str], after: int) -> bool:
    """Kills it after so many system calls that change the file system; False if it ended before.

    Calls, not seconds: every point is equally likely however busy the machine is.
    """
    command = [sys.executable, "-P", "-c", KILL_AFTER, str(after), "podcast", "--json", "--output-dir", str(corpus)]
    done = subprocess.run([*command, "--rss", feed], env=env, capture_output=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr[-2000:]
    return done.returncode != 0


# An audit hook counts opening, renaming, removing and connecting; the process kills itself with SIGKILL during one.
KILL_AFTER = """
import os, signal, sys, threading
left = int(sys.argv.pop(1))
lock = threading.Lock()
WATCHED = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "socket.connect", "shutil.rmtree"}
def watch(event, arguments):
    global left
    if event in WATCHED or (event == "open" and isinstance(arguments[1], str) and arguments[1][:1] in "wa"):
        with lock:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
from nexus.cli import main
sys.addaudithook(watch)
main()
"""


def kill_points(seed: int, count: int, last: int) -> list[int]:
    return sorted(random.Random(seed).sample(range(1, last), count))


def corpus_state(root: Path) -> dict[str, Any]:
    """Every relevant file, without timestamps."""
    state: dict[str, Any] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or "/runs/" in name or name.startswith(".pipeline"):
            continue
        if path.suffix == ".jsonl":
            state[name] = {
                json.dumps(_without_volatile(json.loads(line)), sort_keys=True)
                for line in path.read_text().splitlines()
            }
        elif path.suffix == ".json":
            state[name] = _without_volatile(json.loads(path.read_text()))
        else:
            state[name] = path.read_bytes()
    return state


def _without_volatile(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_volatile(inner) for key, inner in value.items() if key not in VOLATILE}
    return [_without_volatile(each) for each in value] if isinstance(value, list) else value


def library_state(database_url: str) -> list[Any]:
    """What users see, without ids and timestamps."""
    with psycopg.connect(plain_url(database_url)) as connection:
        return [
            connection.execute(query).fetchall()
            for query in (
                "SELECT guid, guid_source, episodes.title, link, enclosure_url, duration_ms, chapters,"
                " transcript_source, media.title, audio_url, site_name, excerpt, word_count, processing_status"
                " FROM episodes LEFT JOIN media ON media.id = media_id ORDER BY guid",
                "SELECT guid, idx, html_sanitized, canonical_text, start_ms, end_ms FROM fragments"
                " JOIN episodes USING (media_id) ORDER BY guid, idx",
                "SELECT guid, alias FROM episode_aliases JOIN episodes ON episodes.id = episode_id ORDER BY 1, 2",
                "SELECT guid, owner_user_id, is_default FROM library_media JOIN libraries ON libraries.id = library_id"
                " JOIN episodes USING (media_id) ORDER BY guid, owner_user_id",
                "SELECT feed_url, moved_from, title, etag FROM podcasts ORDER BY feed_url",
                "SELECT count(*) FROM media",
            )
        ]
