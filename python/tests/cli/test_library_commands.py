"""``nexus list``, ``show``, ``tag``, ``archive`` and ``rm`` against a real server."""

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from nexus.cli import api_client
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.search.index_process import index_here
from tests.api.saving import ALICE, BOB, as_user, save
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import LoopbackServer, running
from tests.processes import Nexus


@pytest.fixture
def nexus(data_dir: Path, dev_server: str, database: Database) -> Nexus:
    return Nexus(data_dir, {"NEXUS_URL": dev_server, "DEV_USER_ID": str(ALICE)})


def test_a_library_from_the_command_line(
    nexus: Nexus, client: httpx2.Client, steps: LifecycleSteps, data_of_process: Path
) -> None:
    media = [str(steps.media_of(save(client, pasted_text=f"Zebra {n}"))) for n in range(3)]
    theirs = str(steps.media_of(save(client, BOB)))

    def listed(*options: str) -> list[str]:
        done = nexus.invoke("list", "--json", *options)
        assert done.returncode == 0, done.stderr
        return [json.loads(line)["media_id"] for line in done.stdout.splitlines()]

    assert listed() == media[::-1]
    assert listed("--limit", "2", "--sort", "oldest") == media[:2]
    refused = nexus.invoke("list", "--search", "zebra", "--sort", "oldest")
    assert (refused.returncode, "--sort" in refused.stderr) == (2, True)
    tagged = nexus.invoke("tag", *media[:2], "--add", "a/b c", "--json")
    assert json.loads(tagged.stdout)["changed"] == 2
    assert listed("--tag", "a") == [media[1], media[0]]
    assert nexus.invoke("archive", media[0]).stdout == "1 of 1 changed\n"
    assert listed("--tag", "a", "--archived", "true") == [media[0]]
    assert index_here(steps.database, data_of_process)
    assert set(listed("--search", "zebra", "--archived", "any")) == set(media)
    shown = nexus.invoke("show", media[0]).stdout
    assert "title: Zebra 0" in shown
    assert "tags: a/b c" in shown
    assert f"{media[1]}  succeeded  Zebra 1  #a/b-c" in nexus.invoke("list").stdout
    assert nexus.invoke("archive", media[0], "--undo").returncode == 0
    assert nexus.invoke("rm", media[0]).returncode == 0
    assert listed() == media[:0:-1]
    for command in (("show", theirs), ("rm", media[1], theirs), ("archive", str(uuid4()))):
        refused = nexus.invoke(*command)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)
    assert nexus.invoke("tag", media[1]).returncode == 2
    assert listed() == media[:0:-1], "all or nothing"


def test_no_escape_sequence_reaches_the_terminal(nexus: Nexus, client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = steps.succeed_item(save(client), title="Red\x1b[31m alert")
    body = {"note": "First\x1b[2J\nsecond"}
    assert client.patch(f"/api/library/{media}", json=body, headers=as_user(ALICE)).status_code == 200
    assert f"{media}  succeeded  Red[31m alert\n" in nexus.invoke("list").stdout
    shown = nexus.invoke("show", str(media)).stdout
    assert "title: Red [31m alert\n" in shown
    assert "note: First [2J\nsecond\n" in shown


def test_a_change_is_sent_once(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change whose answer was lost is done, and would be refused the second time."""
    monkeypatch.setattr(api_client, "FIRST_PAUSE_SECONDS", 0)
    asked: list[str] = []

    class NoAnswer(BaseHTTPRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline().decode().split()[0])

    with running(LoopbackServer(("127.0.0.1", 0), NoAnswer)) as server:
        settings = load_settings(data_dir=data_dir, server_url=f"http://127.0.0.1:{server.server_port}")
        with api_client.ApiClient(settings) as api:
            with pytest.raises(api_client.ServerUnreachableError, match="may have been made"):
                api.change_many({"media_ids": [str(uuid4())], "delete": True})
            with pytest.raises(api_client.ServerUnreachableError, match="Cannot reach"):
                api.get("/api/library")
    assert asked == ["POST"] + ["GET"] * api_client.MAX_ATTEMPTS
