"""The curl lines a client of the items API starts with, run as they stand against a real server."""

import json
import shlex
import subprocess
from typing import Any

import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.api.saving import ALICE
from tests.lifecycle_steps import LifecycleSteps

USER = '-H "X-User-Id: 11111111-1111-1111-1111-111111111111"'
CREATE = (
    f'curl -s -X POST http://localhost:8000/items -H "Content-Type: application/json" {USER}'
    """ -d '{"url":"https://en.wikipedia.org/wiki/FastAPI"}'"""
)
LIST = f"curl -s http://localhost:8000/items {USER}"
READ = f'curl -s "http://localhost:8000/items/<ITEM_ID>?include_content=true" {USER}'
PASTE = (
    'curl -i -X PATCH "http://localhost:8000/items/<ITEM_ID>/text" -H "Content-Type: application/json"'
    f""" {USER} -d '{{"pasted_text":"Full article text here..."}}'"""
)


@pytest.fixture
def server(dev_server: str, database: Database) -> str:
    return dev_server


def curl(line: str, server: str, item: str = "") -> str:
    """Runs the line as it is written, with another port and id."""
    port = server.rpartition(":")[2]
    line = line.replace("localhost:8000", f"localhost:{port}").replace("<ITEM_ID>", item)
    return subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout


def created(server: str) -> str:
    response: dict[str, Any] = json.loads(curl(CREATE, server))
    assert response["status"] == "queued"
    assert set(response) == {"id", "status"}
    made: str = response["id"]
    return made


def test_create_list_and_read(server: str, steps: LifecycleSteps) -> None:
    item = created(server)
    listed = json.loads(curl(LIST, server))
    assert [(found["id"], found["requested_url"]) for found in listed["items"]] == [
        (item, "https://en.wikipedia.org/wiki/FastAPI")
    ]
    assert listed["next_cursor"] is None
    assert json.loads(curl(READ, server, item))["content"]["canonical_text"] is None
    steps.succeed_item(item, "FastAPI is a web framework")
    read = json.loads(curl(READ, server, item))
    assert (read["status"], read["content"]["canonical_text"]) == ("succeeded", "FastAPI is a web framework")


def test_paste_fallback(server: str, connection: Connection, steps: LifecycleSteps) -> None:
    item = created(server)
    refused = curl(PASTE, server, item)
    assert refused.startswith("HTTP/1.1 409 Conflict")
    steps.fail_item(item)
    accepted = curl(PASTE, server, item)
    assert accepted.startswith("HTTP/1.1 200 OK")
    body = json.loads(accepted.partition("\n\n")[2])
    assert body["content"]["canonical_text"] == "Full article text here..."
    row = connection.execute("SELECT user_id, final_text_source FROM items").fetchone()
    assert row == (ALICE, "user_pasted_text")
