"""kill -9 at any point of a run, then run again: the result is that of an undisturbed run."""

import shutil
from pathlib import Path

from nexus.db.embedded import EmbeddedServer
from tests.conftest import copied_database, settings_for
from tests.podcasts.host import podcast_host
from tests.podcasts.killing import corpus_state, environment, kill_points, library_state, publish, run, run_and_kill

# The long version, with 20 points, is python -m bench.podcast_drill.
KILLS = 4
CALLS = 150  # an undisturbed run of these episodes makes some 200


def test_killed_run_ends_like_an_undisturbed_one(
    postgres: EmbeddedServer, template: str, worker_id: str, tmp_path: Path
) -> None:
    with podcast_host() as host:
        feed = publish(host)
        with copied_database(postgres, f"undisturbed_{worker_id}", template) as name:
            url = settings_for(postgres, name).database_url or ""
            assert run(tmp_path / "good", feed, environment(url, tmp_path)).returncode == 0
            good, good_library = corpus_state(tmp_path / "good"), library_state(url)
        host.clear_requests()
        with copied_database(postgres, f"killed_{worker_id}", template) as name:
            url = settings_for(postgres, name).database_url or ""
            env, corpus = environment(url, tmp_path), tmp_path / "killed"
            for after in kill_points(seed=20, count=KILLS, last=CALLS):
                assert run_and_kill(corpus, feed, env, after), "it ended before it was killed"
            assert run(corpus, feed, env).returncode == 0
            assert corpus_state(corpus) == good
            assert library_state(url) == good_library
        fetched = [path for path in host.paths(200) if path.endswith(".vtt")]
        assert len(fetched) - len(set(fetched)) <= KILLS * 4  # only requests in progress when it was killed
        shutil.rmtree(corpus)
