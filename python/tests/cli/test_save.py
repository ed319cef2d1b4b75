"""``nexus save`` against a real server."""

import json
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest
from psycopg import Connection

from nexus.db.session import Database
from nexus.services import tokens
from tests.api.saving import ALICE, as_user
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import COMMAND, Nexus, eventually


@pytest.fixture
def nexus(data_dir: Path, dev_server: str, database: Database) -> Nexus:
    return Nexus(data_dir, {"NEXUS_URL": dev_server, "DEV_USER_ID": str(ALICE)})


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def saved(client: httpx2.Client) -> list[str | None]:
    items = client.get("/items?limit=100", headers=as_user(ALICE)).json()["items"]
    return sorted(item["requested_url"] or item["title"] for item in items)


def test_links(nexus: Nexus, client: httpx2.Client) -> None:
    done = nexus("save", "https://example.com/a", "https://example.com/b")
    assert done.returncode == 0, done.stderr
    assert sorted(line.split()[0] for line in done.stdout.splitlines()) == ["queued", "queued"]
    assert saved(client) == ["https://example.com/a", "https://example.com/b"]


def test_one_refused_link_stops_no_other(nexus: Nexus, client: httpx2.Client) -> None:
    done = nexus.invoke("save", "--json", "ftp://example.com/a", "https://example.com/b")
    assert done.returncode == 1
    outcomes = {outcome["url"]: outcome for outcome in lines(done)}
    assert outcomes["ftp://example.com/a"]["error"] == "invalid_url"
    assert outcomes["https://example.com/b"]["status"] == "queued"
    assert saved(client) == ["https://example.com/b"]
    plain = nexus.invoke("save", "http://localhost/")
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr.startswith("nexus: http://localhost/: ")


def test_list_of_links(nexus: Nexus, client: httpx2.Client, tmp_path: Path) -> None:
    listed = tmp_path / "links.txt"
    links = [f"https://example.com/{n}" for n in range(30)]
    listed.write_text("\ufeff# mine\n\n" + "\n".join([*links, *links]) + "\n", encoding="utf-8")
    done = nexus.invoke("save", "--from-file", str(listed), "--json")
    assert done.returncode == 0, done.stderr
    assert sorted(outcome["url"] for outcome in lines(done)) == sorted(links)
    assert saved(client) == sorted(links)


def test_text_from_a_pipe(nexus: Nexus, client: httpx2.Client) -> None:
    done = subprocess.run(
        [*COMMAND, "save", "--text", "-", "--wait", "--json"],
        input="Grüße\n\nund mehr",
        env=nexus._environment({}), capture_output=True, text=True, check=True,
    )  # fmt: skip
    (outcome,) = lines(done)
    assert (outcome["status"], outcome["title"]) == ("succeeded", "Grüße")
    item = client.get(f"/items/{outcome['id']}?include_content=true", headers=as_user(ALICE)).json()
    assert item["content"]["canonical_text"] == "Grüße\n\nund mehr"


def test_waiting_tells_how_it_ended(nexus: Nexus, connection: Connection, steps: LifecycleSteps) -> None:
    """There is no worker: the test settles the item while the command waits for it."""
    waiting = nexus.start("save", "--wait", "https://example.com/a")

    def made() -> bool:
        row = connection.execute("SELECT id FROM items").fetchone()
        connection.commit()
        if row:
            steps.fail_item(row[0])
        return row is not None

    eventually(made, "nothing was saved")
    output, _ = waiting.communicate(timeout=300)
    assert waiting.returncode == 1
    assert output.startswith("needs_user_text  ")
    assert output.rstrip().endswith("It could not be read. You can paste the text instead.")


def test_token(nexus: Nexus, token_server: str, database: Database, token_client: httpx2.Client) -> None:
    refused = nexus.invoke("save", "https://example.com/a", NEXUS_URL=token_server)
    assert refused.returncode == 1
    assert "token" in refused.stderr
    with database.transaction() as session:
        token = tokens.create_token(session, ALICE, operator=False, label="save")
    done = nexus.invoke("save", "https://example.com/a", NEXUS_URL=token_server, NEXUS_TOKEN=token.secret)
    assert done.returncode == 0, done.stderr
    response = token_client.get("/items", headers={"Authorization": f"Bearer {token.secret}"})
    assert len(response.json()["items"]) == 1


def test_server_that_is_not_there(nexus: Nexus) -> None:
    done = nexus.invoke("save", "https://example.com/a", NEXUS_URL="http://127.0.0.1:1")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "nexus serve" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("https://example.com", "--text", "x"), ("--from-file", "a", "--text", "b")])
def test_one_source(nexus: Nexus, arguments: tuple[str, ...]) -> None:
    done = nexus.invoke("save", *arguments)
    assert done.returncode == 2
    assert "--from-file" in done.stderr


def test_input_that_cannot_be_read(nexus: Nexus, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\xfd")
    empty = tmp_path / "empty"
    empty.write_text("# nothing\n")
    for arguments in (("--text", str(binary)), ("--from-file", str(empty)), ("--from-file", str(tmp_path / "none"))):
        done = nexus.invoke("save", *arguments)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1


def test_the_library_has_the_order_of_the_input(nexus: Nexus, client: httpx2.Client) -> None:
    links = [f"https://example.com/{n}" for n in range(12)]
    assert nexus.invoke("save", *links).returncode == 0
    items = client.get("/items?limit=100", headers=as_user(ALICE)).json()["items"]
    assert [item["requested_url"] for item in items] == links


POCKET = "title,url,time_added,tags,status\nA,https://example.com/a,1,,unread\nB,https://example.com/b,2,x|y,archive\n"


def test_an_export_is_no_text_but_its_links_can_be_saved(nexus: Nexus, client: httpx2.Client, tmp_path: Path) -> None:
    listed = tmp_path / "part_000000.csv"
    listed.write_text(POCKET, encoding="utf-8")
    refused = nexus.invoke("save", "--text", str(listed))
    assert refused.returncode != 0
    assert "is an export (Pocket)." in refused.stderr
    assert f"nexus import {listed}" in refused.stderr
    assert f"nexus save --from-file {listed}" in refused.stderr
    assert saved(client) == []
    assert nexus.invoke("save", "--from-file", str(listed)).returncode == 0
    assert saved(client) == ["https://example.com/a", "https://example.com/b"]


@pytest.mark.parametrize(("content", "reason"), [(b"%PDF-1.7\n", "a PDF"), (b"PK\x03\x04", "a ZIP archive")])
def test_what_is_no_text_says_what_it_is(nexus: Nexus, tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "file").write_bytes(content)
    for option in ("--text", "--from-file"):
        refused = nexus.invoke("save", option, str(tmp_path / "file"))
        assert refused.returncode != 0
        assert f"is {reason}" in refused.stderr


def test_a_page(nexus: Nexus, client: httpx2.Client, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = "\u00dcberall f\u00e4hrt die F\u00e4hre. " * 20
    page.write_bytes(f"<html><meta charset=iso-8859-1><body><p>{words}".encode("latin-1"))
    options = ("--url", "https://example.com/members", "--title", "Ferry", "--tag", "a", "--tag", "b")
    first, again = (nexus.invoke("save", "--json", "--html", str(page), *options) for _ in range(2))
    assert (first.returncode, again.returncode) == (0, 0), first.stderr
    (one,), (two,) = lines(first), lines(again)
    assert (one["status"], two["status"], two["id"]) == ("succeeded", "unchanged", one["id"])
    (entry,) = client.get("/api/library", headers=as_user(ALICE)).json()["entries"]
    assert (entry["title"], entry["tags"], entry["item_id"]) == ("Ferry", ["a", "b"], one["id"])
    assert entry["excerpt"].startswith("\u00dcberall f\u00e4hrt")


def test_a_page_that_is_refused(nexus: Nexus, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p></p>")
    refused = nexus.invoke("save", "--html", str(page), "--url", "https://example.com/")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "no text" in refused.stderr
    assert nexus.invoke("save", "--html", str(tmp_path / "none.html"), "--url", "https://example.com/").returncode == 1
    for wrong in (["--html", str(page)], ["--url", "https://example.com/"], ["https://example.com/", "--tag", "a"]):
        assert nexus.invoke("save", *wrong).returncode == 2
