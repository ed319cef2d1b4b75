"""Which actions an import allows, what the API tells about it, and to which users."""

import csv
import io
from typing import Any
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest

from nexus.db.session import Database
from nexus.services.imports import row_loader
from nexus.services.imports.report import safe_cell
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.imports.uploading import LINKS, ImportWorker, again, all_rows, change, links, preview

VERBS = ("start", "pause", "resume", "cancel", "retry-failed", "undo")
ME = UUID(int=1)
BROKEN = "url,title\njavascript:alert(1),Bad\nhttps://example.org/good,=1+1\n"


def test_only_what_its_state_allows(client: httpx2.Client, work: ImportWorker) -> None:
    def refused(made: dict[str, Any], *verbs: str) -> None:
        for verb in verbs:
            answer = client.post(f"/api/imports/{made['id']}/{verb}")
            assert problem(answer, 409, "import_invalid_state")["import_status"] == again(client, made)["status"]

    made = preview(client, {"a.txt": LINKS})
    refused(made, "pause", "resume", "cancel", "retry-failed", "undo")
    assert change(client, made, "start")["status"] == "running"
    refused(made, "start", "resume", "retry-failed", "undo")
    problem(client.delete(f"/api/imports/{made['id']}"), 409, "import_invalid_state")
    assert change(client, made, "pause")["status"] == "paused"
    work.all()
    assert again(client, made)["outcomes"]["waiting"] == 2, "a paused import goes on"
    refused(made, "start", "pause", "retry-failed", "undo")
    assert change(client, made, "resume")["status"] == "running"
    work.all()
    assert again(client, made)["status"] == "finished"
    refused(made, "start", "pause", "resume", "cancel")
    assert change(client, made, "retry-failed")["status"] == "running"
    work.all()
    assert change(client, made, "undo")["status"] == "undoing"
    refused(made, *VERBS)
    work.all()
    assert again(client, made)["status"] == "undone"
    refused(made, *VERBS)
    assert client.delete(f"/api/imports/{made['id']}").status_code == 204
    problem(client.get(f"/api/imports/{made['id']}"), 404, "not_found")


def test_a_cancelled_import_ends_where_it_is(
    client: httpx2.Client, work: ImportWorker, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_loader, "BATCH_ROWS", 10)
    made = preview(client, {"a.txt": links(25)})
    change(client, made, "start")
    assert work.step()
    cancelled = change(client, made, "cancel")
    assert (cancelled["status"], cancelled["outcomes"]["waiting"]) == ("cancelled", 25)
    work.all()
    assert again(client, made) == cancelled
    assert len(all_rows(client, made)) == 10
    assert connection.execute("SELECT rows_sha256, loaded FROM imports").fetchone() == (None, 10)
    assert change(client, made, "undo")["status"] == "undoing"


def test_options_are_checked_and_kept(client: httpx2.Client) -> None:
    made = preview(client, {"a.txt": LINKS})
    bodies: list[dict[str, Any]] = [{"options": {"fetch": "perhaps"}}, {"options": {"speed": 9}}, {"option": {}}]
    for body in bodies:
        problem(client.post(f"/api/imports/{made['id']}/start", json=body), 422, "invalid_request")
    started = change(client, made, "start", options={"fetch": False})
    assert started["options"] == {"fetch": False, "include_feed_items": False}


def test_another_users_import_is_not_there(client: httpx2.Client) -> None:
    made = preview(client, {"a.txt": LINKS})
    theirs, none = f"/api/imports/{made['id']}", f"/api/imports/{uuid4()}"
    other = {"X-User-Id": str(uuid4())}
    for method, path in [("GET", ""), ("GET", "/rows"), ("GET", "/report.csv"), ("DELETE", ""),
                         *(("POST", f"/{verb}") for verb in VERBS)]:  # fmt: skip
        seen = problem(client.request(method, theirs + path, headers=other), 404, "not_found")
        assert seen["message"] == problem(client.request(method, none + path), 404, "not_found")["message"]
    assert client.get("/api/imports", headers=other).json()["imports"] == []
    assert again(client, made) == made


def test_lists_in_pages(client: httpx2.Client, work: ImportWorker) -> None:
    made = [preview(client, {f"{number}.txt": LINKS}) for number in range(3)]
    first = client.get("/api/imports", params={"limit": 2}).json()
    assert [each["id"] for each in first["imports"]] == [made[2]["id"], made[1]["id"]]
    assert "rows" not in first["imports"][0]
    rest = client.get("/api/imports", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert ([each["id"] for each in rest["imports"]], rest["next_cursor"]) == ([made[0]["id"]], None)
    change(client, made[0], "start")
    work.all()
    rows = all_rows(client, made[0], limit=1)
    assert [(row["number"], row["url"]) for row in rows] == list(enumerate(LINKS.split()))
    cursor = client.get(f"/api/imports/{made[0]['id']}/rows", params={"limit": 1}).json()["next_cursor"]
    for path, asked in [
        (f"/api/imports/{made[1]['id']}/rows", {"cursor": cursor}),
        (f"/api/imports/{made[0]['id']}/rows", {"cursor": cursor, "outcome": "failed"}),
        ("/api/imports", {"cursor": cursor}),
    ]:
        problem(client.get(path, params=asked), 400, "invalid_cursor")


def test_rows_that_cannot_be_imported(client: httpx2.Client, work: ImportWorker) -> None:
    made = preview(client, {"a.csv": BROKEN})
    (told,) = made["problems"]
    assert (told["file"], told["line"]) == ("a.csv", 2)
    assert made["counts"]["problems"] == 1
    change(client, made, "start")
    work.all()
    done = again(client, made)
    assert (done["status"], done["outcomes"]["failed"], done["outcomes"]["waiting"]) == ("finished", 1, 0)
    (failed,) = all_rows(client, made, outcome="failed")
    assert (failed["file"], failed["line"], failed["code"], failed["message"]) == (
        "a.csv", 2, told["code"], told["message"],
    )  # fmt: skip
    assert all_rows(client, made, outcome="waiting") == []


def test_the_report_is_a_table_that_runs_nothing(client: httpx2.Client, work: ImportWorker) -> None:
    made = preview(client, {"=cmd.csv": BROKEN})
    change(client, made, "start")
    work.all()
    answer = client.get(f"/api/imports/{made['id']}/report.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    assert [row["row"] for row in rows] == ["1", "2"]
    good = next(row for row in rows if row["outcome"] != "failed")
    assert (good["title"], good["file"], good["url"]) == ("'=1+1", "'=cmd.csv", "https://example.org/good")


@pytest.mark.parametrize("start", ["=1", "+1", "-1", "@x", "\tx", "\r=1", "  =1", "\n", "＝1"])  # noqa: RUF001
def test_cells_that_a_spreadsheet_would_run(start: str) -> None:
    assert safe_cell(start) == "'" + start
    assert safe_cell("a" + start) == "a" + start


def test_the_report_comes_page_by_page(
    client: httpx2.Client, work: ImportWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nexus.services.imports.report.PAGE_SIZE", 7)
    made = preview(client, {"a.txt": links(21)})
    change(client, made, "start")
    work.all()
    assert len(client.get(f"/api/imports/{made['id']}/report.csv").text.splitlines()) == 22


def test_open_pages_are_told(dev_server: str, client: httpx2.Client, work: ImportWorker) -> None:
    with listening(dev_server, ME) as mine, listening(dev_server, uuid4()) as theirs:
        made = preview(client, {"a.txt": LINKS})
        assert mine.next() == ("imports", {})
        change(client, made, "start")
        assert mine.next() == ("imports", {})
        work.all()
        heard = [mine.next()]
        while heard[-1] != ("imports", {}):
            heard.append(mine.next())
        client.delete(f"/api/imports/{made['id']}")
        while heard[-1] != ("imports", {}) or heard.count(("imports", {})) < 2:
            heard.append(mine.next())
        theirs.nothing_more()


def test_previews_do_not_stay_for_ever(
    client: httpx2.Client, work: ImportWorker, connection: psycopg.Connection
) -> None:
    old, new = preview(client, {"a.txt": LINKS}), preview(client, {"b.txt": LINKS})
    connection.execute("UPDATE imports SET created_at = now() - interval '8 days' WHERE id = %s", [old["id"]])
    connection.commit()
    work.all()
    assert [each["id"] for each in client.get("/api/imports").json()["imports"]] == [new["id"]]


def test_the_counts_are_those_of_the_rows(
    client: httpx2.Client, work: ImportWorker, database: Database, connection: psycopg.Connection
) -> None:
    made = preview(client, {"a.csv": BROKEN + "".join(f"https://example.org/{n % 7},T\n" for n in range(30))})
    change(client, made, "start")
    work.all()
    counted = connection.execute("SELECT outcome, count(*) FROM import_rows GROUP BY outcome").fetchall()
    kept = again(client, made)["outcomes"]
    assert {name: number for name, number in kept.items() if number} == dict(counted)
