"""The embedded database, started by a job: it serves all its users and does not end with the job."""

import threading
from pathlib import Path

import pytest

from nexus.db.embedded import EmbeddedServer
from tests.operator.scripts import processes_of
from tests.podcasts.feeds import item, rss
from tests.podcasts.host import podcast_host
from tests.processes import Nexus, eventually


@pytest.mark.parametrize("end", ["by itself", "cancelled"])
def test_server_keeps_its_database_when_the_job_that_started_it_ends(nexus: Nexus, end: str) -> None:
    corpus = nexus.data_dir / "corpus"
    corpus.mkdir()
    gate = threading.Event()
    with podcast_host() as host:
        feed = host.put("/feed.xml", rss([item(1)]), "application/rss+xml", gate=gate)
        (corpus / "feeds.spec.yaml").write_text(f"feeds: ['{feed}']\n")
        (corpus / "viewer_operator.yaml").write_text("transcribe_missing: false\n")
        nexus.environment["NEXUS_EGRESS_ALLOW"] = host.url.removeprefix("http://")
        job = start_job(nexus, corpus)
        eventually(lambda: host.paths() != [], "the job did not get to its feed")
        postmaster, supervisor = nexus.postmaster().pid, nexus.supervisor().pid
        server = nexus.serve("--no-worker")
        user = EmbeddedServer(nexus.data_dir)
        with user.connect(autocommit=True) as held:
            if end == "cancelled":
                assert nexus.invoke("jobs", "cancel", job, "--output-dir", str(corpus)).returncode == 0
            else:
                gate.set()
            eventually(lambda: not processes_of(corpus), "the job did not end")
            assert held.execute("SELECT 1").fetchone() == (1,)  # on the connection from before the job's end
            assert (nexus.postmaster().pid, nexus.supervisor().pid) == (postmaster, supervisor)
            assert server.get("/ready").status_code == 200
        gate.set()
    server.terminate()
    eventually(nexus.gone, "the database outlived its last user")


def start_job(nexus: Nexus, corpus: Path) -> str:
    done = nexus("jobs", "run", "--detach", "--output-dir", str(corpus))
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[0]
