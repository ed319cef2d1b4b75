"""A job that runs the real pipeline, from the list of feeds to an episode in the library."""

import json
import threading
from pathlib import Path

import httpx2

from tests.operator.scripts import OVER, processes_of
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import podcast_host
from tests.processes import TRUSTS_NOBODY, Nexus, eventually

ALL = ("--no-worker", "--enable-feeds-api", "--enable-operator-config-api", "--enable-jobs-api", "--output-dir")


def test_a_job_turns_feeds_into_episodes(nexus_on_copy: Nexus, tmp_path: Path) -> None:
    corpus = nexus_on_copy.data_dir / "corpus"
    corpus.mkdir()
    with podcast_host() as host:
        spoken = host.put("/1.vtt", vtt("Ada: Good morning.", "Ben: Good morning, Ada."), "text/vtt")
        feed = host.put("/feed.xml", rss([item(1, transcripts=((spoken, "text/vtt"),))]), "application/rss+xml")
        other = host.put("/other.xml", rss([item(2)], title="Another"), "application/rss+xml")
        allowed = host.url.removeprefix("http://")
        server = nexus_on_copy.serve(*ALL, str(corpus), NEXUS_EGRESS_ALLOW=allowed)
        with httpx2.Client(base_url=server.url, timeout=60, verify=TRUSTS_NOBODY) as http:
            assert http.put("/api/feeds", json={"feeds": [feed, other]}).status_code == 200
            assert (
                http.put(
                    "/api/operator-config", json={"content": "transcribe_missing: false\ntimeout: 300\n"}
                ).status_code
                == 200
            )
            job = http.post("/api/jobs", params={"feed": feed}).json()
            path = f"/api/jobs/{job['job_id']}"
            eventually(lambda: http.get(path).json()["status"] in OVER, "the run did not end")
            record, log = http.get(path).json(), http.get(f"{path}/log").text
            assert (record["status"], record["exit_code"]) == ("succeeded", 0), log
            entries = http.get("/api/library", params={"kind": "podcast_episode"}).json()["entries"]
            assert [entry["title"] for entry in entries] == ["Episode 1"]
            assert host.paths().count("/other.xml") == 0
        assert json.loads((corpus / ".pipeline_status.json").read_text())["stage"]
        assert [name.name for name in corpus.rglob("*.vtt")] != []
        assert "is not a setting" not in log
    server.terminate()
    eventually(lambda: not processes_of(corpus), "a process was left")


def test_runs_of_different_feeds_overlap_and_the_same_feed_waits(nexus_on_copy: Nexus) -> None:
    corpus = nexus_on_copy.data_dir / "corpus"
    corpus.mkdir()
    gates = {name: threading.Event() for name in ("a", "b")}
    with podcast_host() as host:
        feeds = {
            name: host.put(f"/{name}.xml", rss([item(1)], title=name), "application/rss+xml", gate=gate)
            + "?token=hunter2"
            for name, gate in gates.items()
        }
        gone = host.url + "/gone.xml"
        (corpus / "feeds.spec.yaml").write_text(json.dumps({"feeds": [*feeds.values(), gone]}))
        (corpus / "viewer_operator.yaml").write_text("transcribe_missing: false\nrss_retry_total: 0\ntimeout: 300\n")
        allowed = {"NEXUS_EGRESS_ALLOW": host.url.removeprefix("http://"), "PODCAST_VIEWER_MAX_PIPELINE_JOBS": "2"}
        server = nexus_on_copy.serve(*ALL, str(corpus), **allowed)
        with httpx2.Client(base_url=server.url, timeout=60, verify=TRUSTS_NOBODY) as http:

            def run(**options: str) -> str:
                found: str = http.post("/api/jobs", params=options).json()["job_id"]
                return found

            def statuses() -> list[str]:
                return [http.get(f"/api/jobs/{job}").json()["status"] for job in jobs]

            jobs = [run(feed=feeds["a"]), run(feed=feeds["b"]), run(feed=feeds["a"]), run()]
            eventually(lambda: len(host.paths()) == 2, "the two feeds are not read at once")
            assert statuses() == ["running", "running", "queued", "queued"]
            for gate in gates.values():
                gate.set()
            eventually(lambda: set(statuses()) <= OVER, "the runs did not end")
            logs = [http.get(f"/api/jobs/{job}/log").text for job in jobs]
            assert statuses() == ["succeeded"] * 4, logs
            whole = http.get(f"/api/jobs/{jobs[-1]}").json()
        server.terminate()
    assert (whole["feeds_failed"], whole["episodes_failed"]) == (1, 0)
    (failure,) = whole["failures"]
    assert (failure["feed"], failure["episode"], failure["code"]) == (gone, None, "http_404")
    assert "404" in failure["reason"]
    assert "hunter2" not in "".join(logs)
    assert "token=[hidden]" in logs[0]
    manifest = json.loads((corpus / "corpus_manifest.json").read_text())
    assert {feed["title"] for feed in manifest["feeds"]} == {"a", "b", None}
    assert [path.name for path in (corpus / ".pipeline_status").iterdir()] == []
    eventually(lambda: not processes_of(corpus), "a process was left")
