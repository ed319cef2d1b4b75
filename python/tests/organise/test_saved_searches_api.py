"""Saved searches, with the number of entries they find."""

import threading
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection

from nexus.db.session import Database
from nexus.search.query import MAX_QUERY_CHARS
from nexus.services.organise import saved_searches, selection
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.blocked_statements import blocked
from tests.lifecycle_steps import LifecycleSteps
from tests.organise.test_entry_state_api import change
from tests.organise.test_tags_api import rename, tag_id


@pytest.fixture(autouse=True)
def time_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives the counts of a list more time, which a loaded machine may need."""
    monkeypatch.setattr(saved_searches, "COUNT_SECONDS", 60)


def searches(client: httpx2.Client, user: UUID = ALICE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/saved-searches", headers=as_user(user)).json()
    return found


def keep(client: httpx2.Client, name: str, **body: Any) -> httpx2.Response:
    return client.post("/api/saved-searches", json={"name": name, "query": {}} | body, headers=as_user(ALICE))


def test_searches_are_kept_changed_and_deleted(
    client: httpx2.Client, steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        item = save(client, pasted_text=f"Zebra {number}")
        change(client, steps.media_of(item), tags=["a"] if number else ["b"], archived=number == 1)
    tagged = keep(client, "  Of\x1b  a\0 ", query={"tag": ["a"], "archived": "any"}, sort="title")
    assert (tagged.status_code, tagged.json()["name"]) == (201, "Of a")
    assert keep(client, "Zebras", query={"q": "zebra", "unread": "true", "min_minutes": "1"}).json()["count"] == 4
    keep(client, "Inbox", position=0)
    found = searches(client)
    assert [(one["name"], one["sort"], one["count"]) for one in found] == [
        ("Inbox", "newest", 3), ("Of a", "title", 3), ("Zebras", "newest", 4),
    ]  # fmt: skip
    assert found[1]["query"]["tag"] == ["a"]
    address = f"/api/saved-searches/{found[2]['id']}"
    changed = client.patch(address, json={"name": "Unread", "query": {"unread": True}}, headers=as_user(ALICE)).json()
    assert (changed["name"], changed["count"], changed["sort"], changed["position"]) == ("Unread", 3, "newest", 2)
    monkeypatch.setattr(saved_searches, "MAX_COUNTED", 2)
    assert [(one["count"], one["count_is_more"]) for one in searches(client)] == [(2, True)] * 3
    monkeypatch.setattr(saved_searches, "COUNT_SECONDS", 0)
    assert [(one["count"], one["count_is_more"]) for one in searches(client)] == [(None, False)] * 3
    assert client.delete(address, headers=as_user(ALICE)).status_code == 204
    assert [one["name"] for one in searches(client)] == ["Inbox", "Of a"]


def test_what_cannot_be_kept(client: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keep(client, "One").status_code == 201
    for name in ("One", "oNE", " Óne"):
        problem(keep(client, name), 409, "search_exists")
    address = f"/api/saved-searches/{searches(client)[0]['id']}"
    assert client.patch(address, json={"name": "ONE"}, headers=as_user(ALICE)).json()["name"] == "ONE"
    for body in ({"name": " "}, {"query": {"colour": "red"}}, {"sort": "random"}, {"query": {"archived": "yes"}}):
        problem(keep(client, **({"name": "Two"} | body)), 422, "invalid_request")
    for query, code, error in (({"q": '"!?"'}, 400, "invalid_query"), ({"tag": ["/"]}, 422, "invalid_tag")):
        problem(keep(client, "Two", query=query), code, error)
    assert keep(client, "One", query={"q": "a\0b"}).status_code == 409
    changed = client.patch(address, json={"query": {"q": "ze\0bra"}}, headers=as_user(ALICE))
    assert changed.json()["query"]["q"] == "zebra"
    monkeypatch.setattr(saved_searches, "MAX_SEARCHES", 1)
    problem(keep(client, "Two"), 409, "too_many_searches")


def test_counting_locks_nothing(client: httpx2.Client, connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    unchanged = saved_searches.count_found

    def count(*given: Any) -> Any:
        connection.execute("SELECT FROM libraries FOR NO KEY UPDATE NOWAIT")
        connection.commit()
        return unchanged(*given)

    monkeypatch.setattr(saved_searches, "count_found", count)
    kept = keep(client, "One")
    assert (kept.status_code, kept.json()["count"]) == (201, 0)
    address = f"/api/saved-searches/{kept.json()['id']}"
    for body, counted in (({"name": "Two"}, None), ({"query": {"starred": True}}, 0)):
        changed = client.patch(address, json=body, headers=as_user(ALICE))
        assert (changed.status_code, changed.json()["count"]) == (200, counted)


def test_one_that_takes_too_long_is_left(
    client: httpx2.Client, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(client, "Slow", query={"q": "zebra", "tag": ["x"]})
    keep(client, "Quick", position=0)
    connection.execute("LOCK TABLE tags IN ACCESS EXCLUSIVE MODE")
    monkeypatch.setattr(saved_searches, "COUNT_SECONDS", 3)  # enough for the one that does not wait
    found = searches(client)
    assert [(one["name"], one["count"]) for one in found] == [("Quick", 0), ("Slow", None)]
    monkeypatch.setattr(saved_searches, "COUNT_SECONDS", 0.2)
    address = f"/api/saved-searches/{found[1]['id']}"
    for body in ({"name": "Renamed"}, {"query": {"q": "horse", "tag": ["x"]}}):
        assert client.patch(address, json=body, headers=as_user(ALICE)).json()["count"] is None
    assert keep(client, "Another", query={"q": "zebra", "tag": ["x"]}).status_code == 201
    connection.rollback()
    monkeypatch.setattr(saved_searches, "COUNT_SECONDS", 60)
    assert [(one["name"], one["count"]) for one in searches(client)] == [("Quick", 0), ("Renamed", 0), ("Another", 0)]


def test_one_that_cannot_be_read_is_listed_with_the_others(client: httpx2.Client, connection: Connection) -> None:
    """It may have been saved when the query was still valid."""
    save(client, pasted_text="Zebra")
    keep(client, "Zebras", query={"q": "zebra"})
    keep(client, "Old", query={"q": "horse"})
    connection.execute("""UPDATE saved_searches SET query = '{"q": "in:title"}' WHERE name = 'Old'""")
    connection.commit()
    assert [(one["name"], one["count"]) for one in searches(client)] == [("Zebras", 1), ("Old", None)]
    problem(keep(client, "New", query={"q": "in:title"}), 400, "invalid_query")


def test_as_long_as_a_search_may_be(client: httpx2.Client) -> None:
    longest = "zebra " * 682 + "last"
    assert len(longest) == MAX_QUERY_CHARS
    assert keep(client, "Long", query={"q": longest}).status_code == 201
    problem(keep(client, "Too long", query={"q": longest + "s"}), 422, "invalid_request")


def test_what_is_gone_makes_room_for_what_is_there(
    dev_server: str, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is behind: it still finds entries that were removed."""
    items = [save(client, pasted_text=f"Zebra {number}") for number in range(4)]
    assert keep(client, "Zebras", query={"q": "zebra"}).json()["count"] == 4
    for item in items[2:]:
        client.delete(f"/items/{item}", headers=as_user(ALICE)).raise_for_status()
    monkeypatch.setattr(saved_searches, "MAX_COUNTED", 2)
    monkeypatch.setattr(selection, "MAX_ENTRIES", 1)
    with httpx2.Client(base_url=dev_server, timeout=60) as unindexed:
        body = {"filter": {"q": "zebra"}, "set": {"read": True}}
        refused = unindexed.post("/api/library/bulk", json=body, headers=as_user(ALICE))
        problem(refused, 422, "too_many_entries")
        assert [(one["count"], one["count_is_more"]) for one in searches(unindexed)] == [(2, False)]


def test_searches_follow_a_tag(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client, pasted_text="Zebra")
    change(client, steps.media_of(item), tags=["Work", "work/x", "other"])
    for name, wanted in (("one", ["work", "Other"]), ("two", ["Work/X"]), ("three", ["workshop", "other"])):
        keep(client, name, query={"tag": wanted, "starred": False})

    def found() -> list[tuple[list[str], int]]:
        return [(one["query"]["tag"], one["count"]) for one in searches(client)]

    assert rename(client, "Work", name="Job").is_success
    assert found() == [(["Job", "Other"], 1), (["Job/X"], 1), (["workshop", "other"], 0)]
    assert rename(client, "Job", name="other").is_success, "joined with another"
    assert found() == [(["other", "Other"], 1), (["other/X"], 1), (["workshop", "other"], 0)]
    client.delete(f"/api/tags/{tag_id(client, 'other')}", headers=as_user(ALICE)).raise_for_status()
    assert found() == [(["other", "Other"], 1), (["other/X"], 1), (["workshop", "other"], 0)], "by what is below it"
    client.delete(f"/api/tags/{tag_id(client, 'other/x')}", headers=as_user(ALICE)).raise_for_status()
    assert [count for _, count in found()] == [0, 0, 0]


def test_deleting_waits_for_a_change(
    client: httpx2.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/api/saved-searches/{keep(client, 'One').json()['id']}"
    answers: list[int] = []
    deleting = threading.Thread(
        target=lambda: answers.append(client.delete(address, headers=as_user(ALICE)).status_code)
    )
    unchanged = saved_searches.list_searches

    def list_while_deleted(*given: Any) -> Any:
        """Called when the change has read the search: the deletion is finished, or waits."""
        deleting.start()
        while deleting.is_alive() and not blocked(database):
            deleting.join(0.01)
        return unchanged(*given)

    monkeypatch.setattr(saved_searches, "list_searches", list_while_deleted)
    assert client.patch(address, json={"name": "Two"}, headers=as_user(ALICE)).status_code == 200
    deleting.join()
    monkeypatch.undo()
    assert (answers, searches(client)) == ([204], [])


def test_searches_of_others(dev_server: str, client: httpx2.Client) -> None:
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        kept = keep(client, "Secret").json()
        assert mine.next() == ("tags", {})
        theirs.nothing_more()
    assert searches(client, BOB) == []
    for missing in (kept["id"], str(uuid4())):
        for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
            answer = client.request(method, f"/api/saved-searches/{missing}", json=body, headers=as_user(BOB))
            problem(answer, 404, "not_found")
    assert [one["name"] for one in searches(client)] == ["Secret"]
