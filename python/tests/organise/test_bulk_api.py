"""Changes of many entries at once, and undoing them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection

from nexus.services.library import entry_tags
from nexus.services.library.changes import EntryUpdate, change_entry
from nexus.services.organise.bulk import BulkChanges, change_many
from nexus.services.organise.selection import Chosen
from nexus.services.users import CurrentUser
from nexus.worker.undo_remover import UndoRemover
from tests.api.saving import ALICE, BOB, LINK, as_user, library_of, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.api.test_library_api import library
from tests.blocked_statements import wait_until_blocked
from tests.db.test_fetch_again_locks import lock
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps, article
from tests.organise.no_indexes import NO_INDEXES
from tests.organise.test_entry_state_api import ago, change, entry
from tests.organise.test_tags_api import tags

STATE = ("read_at", "last_read_at", "archived_at", "starred_at", "tags")


def post(client: httpx2.Client, user: UUID = ALICE, **body: Any) -> httpx2.Response:
    return client.post("/api/library/bulk", json=body, headers=as_user(user))


def bulk(client: httpx2.Client, **body: Any) -> dict[str, Any]:
    response = post(client, **body)
    assert response.status_code == 200, response.text
    done: dict[str, Any] = response.json()
    return done


def undo(client: httpx2.Client, token: str, user: UUID = ALICE) -> httpx2.Response:
    return client.post("/api/library/undo", json={"undo": token}, headers=as_user(user))


def states(client: httpx2.Client, media: list[str]) -> list[list[Any]]:
    found = [entry(client, one) for one in media]
    return [[one[name] for name in STATE] for one in found]


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> list[str]:
    """Four texts and a waiting link."""
    items = [save(client, pasted_text=f"Zebra {n}") for n in range(4)] + [save(client)]
    made = [str(steps.media_of(item)) for item in items]
    change(client, made[0], read=True, starred=True, tags=["a", "b"], client_time=ago(minutes=5))
    change(client, made[1], archived=True, tags=["b"], client_time=ago(minutes=5))
    return made


def test_many_at_once_and_back(client: httpx2.Client, media: list[str]) -> None:
    before, counts = states(client, media), library(client)["counts"]
    done = bulk(
        client, media_ids=media, set={"read": True, "archived": True, "starred": False}, add_tags=["C", "a"],
        remove_tags=["b"],
    )  # fmt: skip
    assert (done["matched"], done["changed"]) == (5, 5)
    after = states(client, media)
    assert [bool(state[0]) for state in after] == [True] * 4 + [False], "what has no text cannot have been read"
    assert [(bool(state[2]), state[3], state[4]) for state in after] == [(True, None, ["a", "C"])] * 5
    assert (library(client)["counts"]["inbox"], tags(client)["C"], tags(client)["b"]) == (0, (5, 0), (0, 0))
    assert undo(client, done["undo"]).json() == {"restored": 5}
    assert states(client, media) == before
    assert library(client)["counts"] == counts
    assert tags(client) == {"a": (1, 1), "b": (2, 1), "C": (0, 0)}
    problem(undo(client, done["undo"]), 404, "not_found")
    assert bulk(client, media_ids=media, remove_tags=["C"]) == {"matched": 5, "changed": 0, "undo": None}


def test_what_was_decided_since_stays(client: httpx2.Client, media: list[str]) -> None:
    done = bulk(client, media_ids=media[:3], set={"archived": True}, add_tags=["x"])
    assert done["changed"] == 3
    change(client, media[0], archived=False)
    change(client, media[2], remove_tags=["x"])
    assert undo(client, done["undo"]).json() == {"restored": 3}
    found = [entry(client, one) for one in media[:3]]
    assert [bool(one["archived_at"]) for one in found] == [False, True, False]
    assert ["x" in one["tags"] for one in found] == [False, False, False]


def test_an_earlier_decision_about_many(client: httpx2.Client, media: list[str]) -> None:
    done = bulk(client, media_ids=media[:2], set={"archived": False}, client_time=ago(minutes=6))
    assert done == {"matched": 2, "changed": 0, "undo": None} or done["changed"] == 0
    bulk(client, media_ids=media[:2], set={"archived": False}, client_time="0001-01-01T00:00:00+14:00")
    done = bulk(client, media_ids=media[:2], set={"archived": True}, client_time=ago(minutes=4))
    assert (done["changed"], undo(client, done["undo"]).json()) == (1, {"restored": 1})


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, {0, 2, 3, 4}), ({"archived": "any"}, {0, 1, 2, 3, 4}), ({"tag": ["b"], "archived": "any"}, {0, 1}),
        ({"q": "zebra"}, {0, 1, 2, 3}), ({"q": "zebra", "unread": True, "archived": "false"}, {2, 3}),
        ({"status": "queued"}, {4}), ({"starred": True}, {0}), ({"untagged": True, "kind": "pasted_text"}, {2, 3}),
        ({"max_minutes": 1}, {0, 2, 3}), ({"site": "example.com"}, {4}), ({"tag": ["nowhere"]}, set()),
    ],
)  # fmt: skip
def test_by_filter(client: httpx2.Client, media: list[str], chosen: dict[str, Any], expected: set[int]) -> None:
    done = bulk(client, filter=chosen, add_tags=["chosen"])
    assert done["matched"] == done["changed"] == len(expected)
    found = library(client, ALICE, tag="chosen", archived="any")["entries"]
    assert {media.index(one["media_id"]) for one in found} == expected


def test_deleting_many(client: httpx2.Client, steps: LifecycleSteps, media: list[str], connection: Connection) -> None:
    shared = steps.succeed_item(save(client, url="https://example.com/shared"))
    steps.merge_item(save(client, BOB), shared)
    again = steps.succeed_item(save(client, url="https://example.com/again"))
    assert client.post(f"/media/{again}/fetch-again", headers=as_user(ALICE)).status_code == 202
    episode = save_episode(steps.database, ALICE, fragments_of("Welcome."))
    chosen = [*media[1:], str(shared), str(again), str(episode)]
    stale = post(client, media_ids=chosen, delete=True, client_time=ago(minutes=6))
    problem(stale, 409, "changed_since")
    assert library(client)["counts"]["all"] == 8
    assert bulk(client, media_ids=chosen, delete=True) == {"matched": 7, "changed": 7, "undo": None}
    assert library(client)["counts"]["all"] == 1
    assert tags(client) == {"a": (1, 1), "b": (1, 1)}
    assert client.get(f"/media/{shared}", headers=as_user(BOB)).status_code == 200
    left = connection.execute("SELECT count(*) FROM media").fetchone()
    assert left == (2,), "what nobody has is gone"
    assert connection.execute("SELECT count(*) FROM episode_removals").fetchone() == (1,)


def test_all_or_nothing(client: httpx2.Client, media: list[str], steps: LifecycleSteps) -> None:
    theirs = str(steps.media_of(save(client, BOB)))
    for foreign_id in (theirs, str(uuid4())):
        problem(post(client, media_ids=[*media, foreign_id], set={"archived": True}), 404, "not_found")
    problem(post(client, media_ids=media, set={"archived": True}, add_tags=["a//b"]), 422, "invalid_tag")
    assert library(client)["counts"]["archived"] == 1
    bad: list[dict[str, Any]] = [
        {}, {"media_ids": media}, {"media_ids": media, "filter": {}, "delete": True}, {"media_ids": [], "delete": True},
        {"filter": {"colour": "red"}, "delete": True}, {"filter": {}, "set": {"title": "x"}},
        {"filter": {}, "set": {"read": True}, "delete": True},
    ]  # fmt: skip
    for body in bad:
        problem(post(client, **body), 422, "invalid_request")


def test_tags_of_many(
    client: httpx2.Client, media: list[str], steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bulk(client, media_ids=media, remove_tags=["a", "b"])["changed"] == 2
    assert bulk(client, media_ids=media, remove_tags=["a", "b"])["changed"] == 0
    for number in (0, 3):  # one that had it, one that never did
        late = change(client, media[number], add_tags=["a"], client_time=ago(minutes=1))
        assert "a" not in late["tags"], "it was taken away after that"
    assert "a" in change(client, media[3], add_tags=["a"])["tags"]
    monkeypatch.setattr(entry_tags, "MAX_DECISIONS", 9)
    for unwanted in ([], ["a"]):
        refused = post(client, media_ids=media, add_tags=["x", "y"][: 2 - len(unwanted)], remove_tags=unwanted)
        problem(refused, 422, "too_many_entries")
    assert "x" not in tags(client)
    assert bulk(client, media_ids=media[:4], add_tags=["x", "y"])["changed"] == 4


def test_undoing_is_the_users_own_and_ends(
    client: httpx2.Client, media: list[str], connection: Connection, steps: LifecycleSteps
) -> None:
    done = bulk(client, media_ids=media, set={"starred": True})
    for token, user in ((done["undo"], BOB), (str(uuid4()), ALICE)):
        problem(undo(client, token, user), 404, "not_found")
    connection.execute("UPDATE bulk_undos SET expires_at = now()")
    connection.commit()
    problem(undo(client, done["undo"]), 410, "undo_expired")
    connection.execute("UPDATE bulk_undos SET expires_at = now() - interval '2 days'")
    connection.commit()
    bulk(client, media_ids=media, set={"starred": False})
    connection.execute("SELECT FROM bulk_undos FOR UPDATE")
    assert not UndoRemover(steps.database).step(), "another worker is at it"
    connection.commit()
    worker = UndoRemover(steps.database)
    assert (worker.step(), worker.step()) == (True, False)
    assert connection.execute("SELECT count(*) FROM bulk_undos").fetchone() == (1,), "the old one is forgotten"


def test_undoing_follows_an_entry(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """One is merged with a page of another user and one with a page of this user's, and one gets a pasted text."""
    theirs = steps.succeed_item(save(client, BOB), canonical_url=LINK)
    mine = steps.succeed_item(save(client), canonical_url=f"{LINK}/mine")
    items = [save(client, url=f"{LINK}/{number}") for number in range(3)]
    steps.fail_item(items[2])
    chosen = [str(steps.media_of(item)) for item in items]
    done = bulk(client, media_ids=[*chosen, str(mine)], set={"archived": True}, add_tags=["x"])
    steps.merge_item(items[0], theirs)
    steps.merge_item(items[1], mine)
    pasted = client.patch(f"/items/{items[2]}/text", json={"pasted_text": "Mine"}, headers=as_user(ALICE))
    assert pasted.is_success
    now = [theirs, mine, steps.media_of(items[2])]
    assert all(entry(client, one)["archived_at"] and entry(client, one)["tags"] == ["x"] for one in now)
    assert undo(client, done["undo"]).json() == {"restored": 3}
    assert [(entry(client, one)["archived_at"], entry(client, one)["tags"]) for one in now] == [(None, [])] * 3


def test_users_do_not_wait_for_each_other(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Both have the same page; what Alice changes is not committed while Bob changes his own state of it."""
    shared = steps.succeed_item(save(client))
    steps.merge_item(save(client, BOB), shared)
    alice = CurrentUser(ALICE, library_of(client, ALICE), is_operator=False)
    with steps.session() as session:
        change_entry(session, alice, shared, EntryUpdate({"archived": True}))
        change_many(session, alice, NO_INDEXES, Chosen([shared]), BulkChanges({"starred": True}))
        assert change(client, shared, BOB, starred=True)["starred_at"]
        place = {"fragment_idx": 0, "offset": 3, "fraction": 0.25}
        there = client.put(f"/api/library/{shared}/position", json=place, headers=as_user(BOB))
        assert (there.status_code, there.json()["offset"]) == (200, 3)
    assert entry(client, shared)["archived_at"]
    assert entry(client, shared)["starred_at"]


def test_one_event_for_all(dev_server: str, client: httpx2.Client, media: list[str]) -> None:
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        done = bulk(client, media_ids=media, set={"archived": True})
        assert mine.next() == ("shelf", {})
        undo(client, done["undo"])
        assert {mine.next()[0], mine.next()[0]} == {"shelf", "tags"}
        theirs.nothing_more()
        mine.nothing_more()


def test_deleting_what_was_changed_since(client: httpx2.Client, media: list[str], connection: Connection) -> None:
    connection.execute("UPDATE library_media SET created_at = created_at - interval '1 hour'")
    connection.commit()
    change(client, media[0], add_tags=["later"], client_time=ago(minutes=1))
    early = client.delete(f"/media/{media[0]}", params={"client_time": ago(minutes=2)}, headers=as_user(ALICE))
    problem(early, 409, "changed_since")
    item = entry(client, media[1])["item_id"]
    for time in (ago(minutes=6), "0001-01-01T00:00:00+14:00"):
        early = client.delete(f"/items/{item}", params={"client_time": time}, headers=as_user(ALICE))
        problem(early, 409, "changed_since")
    for path in (f"/items/{item}", f"/media/{media[0]}"):
        problem(client.delete(path, params={"client_time": "1"}, headers=as_user(ALICE)), 422, "invalid_request")
    late = client.delete(f"/items/{item}", params={"client_time": ago(minutes=4)}, headers=as_user(ALICE))
    assert late.status_code == 204


def test_deleting_waits_in_the_order_of_workers(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Locks are taken in the order of a worker and a podcast run, so that there is no deadlock."""
    page = steps.succeed_item(save(client))
    assert client.post(f"/media/{page}/fetch-again", headers=as_user(ALICE)).status_code == 202
    (fetch,) = steps.row("SELECT media_id FROM items WHERE fetch_again_of IS NOT NULL")
    waiting = steps.media_of(save(client, url="https://example.com/waiting"))
    episode = save_episode(steps.database, ALICE, fragments_of("Welcome."))
    (row,) = steps.row("SELECT id FROM episodes WHERE media_id = :p0", episode)
    chosen = [str(one) for one in (page, waiting, episode)]
    media = sorted([page, fetch, waiting])
    with ThreadPoolExecutor(1) as threads:
        for table, first, later in (("media", media[0], media[1:]), ("episodes", row, [*media, episode])):
            with steps.session() as session:
                lock(session, table, first)
                deleting = threads.submit(post, client, media_ids=chosen, delete=True, client_time=ago(minutes=1))
                wait_until_blocked(steps.database)
                for media_id in later:
                    lock(session, "media", media_id)
            problem(deleting.result(), 409, "changed_since")
    assert bulk(client, media_ids=chosen, delete=True)["changed"] == 3


def test_while_workers_read(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """No deadlock, and nothing is lost, while pages are read and merged and all entries are changed."""
    owner = steps.succeed_item(save(client), "Words", canonical_url=LINK)
    for number in range(12):
        save(client, url=f"{LINK}/{number}")
    claims = steps.claim(limit=12)
    assert len(claims) == 12

    def read() -> None:
        for number, claim in enumerate(claims):
            found = article(f"{LINK}/{number}", "Words") if number % 2 else article(LINK, "Words")
            steps.succeed(claim, found, min_chars=0)

    worker = threading.Thread(target=read)
    worker.start()
    turns = 0
    while worker.is_alive() or turns < 2:
        done = bulk(
            client, filter={"archived": "any"}, set={"archived": turns % 2 == 0}, add_tags=[f"turn {turns % 3}"]
        )
        assert done["matched"] >= 7
        turns += 1
    worker.join()
    found = library(client, ALICE, archived="any", limit=100)
    assert len(found["entries"]) == found["counts"]["all"] == 7
    assert str(owner) in {one["media_id"] for one in found["entries"]}
    assert tags(client)["turn 0"][0] == sum("turn 0" in one["tags"] for one in found["entries"])
    assert found["counts"]["archived"] == sum(bool(one["archived_at"]) for one in found["entries"])
