"""Server-sent events of a job, read by a real client."""

import json
import threading
from collections.abc import Generator
from typing import Any

import httpx2
import pytest

from nexus.http.responses import event_stream
from tests.operator.conftest import OperatorServer
from tests.operator.scripts import Script, exits_with
from tests.processes import TRUSTS_NOBODY, Nexus, eventually

Event = tuple[str, Any, str | None]

TALKS = Script(
    """
    import pathlib, time
    print("one", flush=True)
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
    print("two ünï")
    """
)


def events(http: httpx2.Client, path: str, **options: Any) -> Generator[Event]:
    with http.stream("GET", path, **options) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if "data" in fields:
                yield fields.get("event", "message"), json.loads(fields["data"]), fields.get("id")
            fields = {}


def test_a_job_from_its_start_to_its_end(served: OperatorServer) -> None:
    job = served.run(TALKS)
    seen: list[Event] = []
    for event in events(served.http, f"/api/jobs/{job['job_id']}/events"):
        seen.append(event)
        if event[0] == "log" and event[1]["text"] == "one\n":
            (served.corpus / "go").touch()
    assert [event[1]["status"] for event in seen if event[0] == "status"][-1] == "succeeded"
    assert "".join(event[1]["text"] for event in seen if event[0] == "log") == "one\ntwo ünï\n"
    assert seen[-1][:2] == ("end", {"status": "succeeded"})


def test_reconnecting_client_continues_at_its_position(served: OperatorServer) -> None:
    job = served.ends(served.run(Script("for n in range(40_000): print('line', n)"))["job_id"])
    path = f"/api/jobs/{job['job_id']}/events"
    whole = served.http.get(f"/api/jobs/{job['job_id']}/log").text
    begun = events(served.http, path, params={"position": 0})
    _, data, position = next(event for event in begun if event[0] == "log")
    begun.close()
    resumed = events(served.http, path, headers={"Last-Event-ID": position})
    assert data["text"] + "".join(event[1]["text"] for event in resumed if event[0] == "log") == whole
    recent = "".join(e[1]["text"] for e in events(served.http, path) if e[0] == "log")
    assert whole.endswith(recent)
    assert 90_000 < len(recent) < 97_000


def test_beginning_that_was_dropped_is_not_waited_for(served: OperatorServer) -> None:
    object.__setattr__(served.operator.queue(served.operator.corpus(None)).settings, "log_max_bytes", 20_000)
    job = served.ends(served.run(Script("for n in range(10_000): print('line', n)"))["job_id"])
    log = served.http.get(f"/api/jobs/{job['job_id']}/log").text
    assert log.startswith("[nexus: the first ")
    assert len(log) < 21_000
    path = f"/api/jobs/{job['job_id']}/events"
    total = sum(len(f"line {n}\n") for n in range(10_000))
    for position in (0, 50, 80_000):
        seen = list(events(served.http, path, params={"position": position}))
        text = "".join(event[1]["text"] for event in seen if event[0] == "log")
        assert text.endswith("line 9999\n")
        assert log.endswith(text)
        assert [event[2] for event in seen if event[2]][-1] == str(total)


def test_job_that_is_removed_ends_its_stream(served: OperatorServer) -> None:
    served.http.post("/api/jobs/pause")
    job = served.run(exits_with(0))
    stream = events(served.http, f"/api/jobs/{job['job_id']}/events")
    assert next(stream)[0] == "status"
    with httpx2.Client(base_url=served.http.base_url, timeout=60, verify=TRUSTS_NOBODY) as other:
        other.post(f"/api/jobs/{job['job_id']}/cancel")
        other.delete(f"/api/jobs/{job['job_id']}")
    assert list(stream)[-1][0] == "end"


def test_quiet_stream_shows_that_it_lives(served: OperatorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "REVALIDATE_SECONDS", 0.1)
    served.http.post("/api/jobs/pause")
    job = served.run(exits_with(0))
    with served.http.stream("GET", f"/api/jobs/{job['job_id']}/events") as response:
        assert response.headers["x-accel-buffering"] == "no"
        lines = response.iter_lines()
        assert next(lines) == "retry: 2000"
        assert ": still here" in lines


def test_open_streams_do_not_delay_a_shutdown(nexus_on_copy: Nexus) -> None:
    corpus = nexus_on_copy.data_dir / "corpus"
    corpus.mkdir()
    server = nexus_on_copy.serve("--no-worker", "--enable-jobs-api", "--output-dir", str(corpus))
    with httpx2.Client(base_url=server.url, timeout=60, verify=TRUSTS_NOBODY) as http:
        http.post("/api/jobs/pause")
        job = http.post("/api/jobs").json()
        begun = threading.Event()
        broken: list[str] = []

        def watch() -> None:
            try:
                for _ in events(http, f"/api/jobs/{job['job_id']}/events"):
                    begun.set()
            except httpx2.HTTPError as error:
                broken.append(type(error).__name__)

        thread = threading.Thread(target=watch)
        thread.start()
        eventually(begun.is_set, "the stream did not begin")
        assert server.terminate() == 0
        thread.join(300)
        assert not thread.is_alive()
        assert broken == [], "the stream was cut off"
    assert "Cancel" not in server.log.read_text()
