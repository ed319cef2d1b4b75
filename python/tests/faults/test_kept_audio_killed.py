"""kill -9 at any point of a run that keeps audio: what is named is in the store, and the next run keeps the rest."""

import hashlib
import io
import wave
from pathlib import Path

import psycopg

from nexus.db.embedded import EmbeddedServer
from tests.conftest import copied_database, settings_for
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host, podcast_host
from tests.podcasts.killing import environment, kill_points, run, run_and_kill
from tests.processes import plain_url

EPISODES = 4
KILLS = 4
CALLS = 90  # an undisturbed run of these episodes makes some 180


def sound(number: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes([number]) * 200_000)
    return out.getvalue()


def publish(host: Host) -> str:
    items = []
    for number in range(EPISODES, 0, -1):
        words = host.put(f"/t{number}.vtt", vtt(f"Ada: Sentence {number}."), "text/vtt")
        audio = host.put(f"/a{number}.wav", sound(number), "audio/wav", ranges=True)
        items.append(item(number, audio=audio, transcripts=((words, "text/vtt"),)))
    return host.put("/feed.xml", rss(items), "application/rss+xml")


def kept(url: str, data_dir: Path) -> list[bytes]:
    """Each as the store has it, under the hash that names it."""
    with psycopg.connect(plain_url(url)) as connection:
        rows = connection.execute("SELECT sha256 FROM media_audio JOIN episodes USING (media_id) ORDER BY guid")
        found = [sha256.hex() for (sha256,) in rows]
    files = [(data_dir / "blobs" / name[:2] / name).read_bytes() for name in found]
    assert [hashlib.sha256(content).hexdigest() for content in files] == found
    return files


def test_killed_run_names_no_audio_that_is_not_there(
    postgres: EmbeddedServer, template: str, worker_id: str, tmp_path: Path
) -> None:
    with podcast_host() as host, copied_database(postgres, f"audio_{worker_id}", template) as name:
        feed, url = publish(host), settings_for(postgres, name).database_url or ""
        env, corpus = environment(url, tmp_path) | {"NEXUS_PODCAST_KEEP_AUDIO": "all"}, tmp_path / "corpus"
        for after in kill_points(seed=17, count=KILLS, last=CALLS):
            assert run_and_kill(corpus, feed, env, after), "it ended before it was killed"
            kept(url, tmp_path)
        assert run(corpus, feed, env).returncode == 0
        assert kept(url, tmp_path) == [sound(number) for number in range(1, EPISODES + 1)]
        assert list(corpus.glob("feeds/*/audio/*")) == []
        # Only what was under way when it was killed was fetched twice.
        assert len(host.paths(200)) <= (2 * EPISODES + 1) * 2 + KILLS * EPISODES
