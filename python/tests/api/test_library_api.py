"""The library, receipts and statistics that the viewer shows."""

import random
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection
from sqlalchemy import text

from nexus.db.session import Database
from nexus.services import lifecycle
from tests.api.saving import ALICE, BOB, LINK, as_user, library_of, save
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps, article, attempt_record

ENTRY_KEYS = {
    "media_id", "item_id", "kind", "status", "status_detail", "title", "site_name", "site", "byline", "requested_url",
    "canonical_url", "excerpt", "word_count", "reading_minutes", "lead_image", "published_at", "can_read", "can_play",
    "has_waiting_text", "read_at", "last_read_at", "archived_at", "starred_at", "own_title", "note", "tags", "position",
    "highlight_count", "created_at", "updated_at",
}  # fmt: skip


def library(client: httpx2.Client, user: UUID = ALICE, **asked: Any) -> dict[str, Any]:
    response = client.get("/api/library", params=asked, headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def receipt(client: httpx2.Client, item: str) -> dict[str, Any]:
    response = client.get(f"/api/items/{item}/receipt", headers=as_user(ALICE))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_empty_library(client: httpx2.Client) -> None:
    assert library(client) == {
        "entries": [],
        "next_cursor": None,
        "counts": {
            "all": 0,
            "inbox": 0,
            "archived": 0,
            "starred": 0,
            "unread": 0,
            "by_status": {"queued": 0, "processing": 0, "succeeded": 0, "needs_user_text": 0, "failed": 0},
            "by_kind": {"web_article": 0, "pasted_text": 0, "podcast_episode": 0},
        },
    }


def test_library_shows_each_kind_and_status(client: httpx2.Client, steps: LifecycleSteps) -> None:
    queued = save(client, url="https://www.example.com/one/", pasted_text="in case")
    unreadable = save(client)
    steps.fail_item(unreadable)
    ready = save(client, url="https://example.com/read-me")
    steps.succeed_item(
        ready, title="Read me", lead_image_url="https://example.com/a b.png", word_count=500, lang="en",
        site_name="Example", excerpt="Once",
    )  # fmt: skip
    pasted = save(client, pasted_text="My notes\nand more")
    found = library(client)
    assert all(set(entry) == ENTRY_KEYS for entry in found["entries"])
    by_item = {entry["item_id"]: entry for entry in found["entries"]}
    assert list(by_item) == [pasted, ready, unreadable, queued]
    assert by_item[queued]["title"] == "example.com/one"
    assert by_item[queued]["has_waiting_text"] is True
    assert (by_item[queued]["can_read"], by_item[queued]["requested_url"]) == (False, "https://www.example.com/one/")
    assert (by_item[unreadable]["status"], by_item[unreadable]["status_detail"]) == (
        "needs_user_text", "It could not be read. You can paste the text instead.",
    )  # fmt: skip
    assert by_item[ready]["lead_image"] == "/media/image?url=https%3A%2F%2Fexample.com%2Fa%20b.png"
    assert (by_item[ready]["title"], by_item[ready]["reading_minutes"]) == ("Read me", 3)
    assert by_item[ready]["can_read"] is True
    assert (by_item[pasted]["kind"], by_item[pasted]["title"]) == ("pasted_text", "My notes")
    assert by_item[pasted]["has_waiting_text"] is False
    assert found["counts"] == {
        "all": 4,
        "inbox": 4,
        "archived": 0,
        "starred": 0,
        "unread": 2,
        "by_status": {"queued": 1, "processing": 0, "succeeded": 2, "needs_user_text": 1, "failed": 0},
        "by_kind": {"web_article": 3, "pasted_text": 1, "podcast_episode": 0},
    }
    assert [entry["item_id"] for entry in library(client, status="succeeded")["entries"]] == [pasted, ready]
    assert [entry["item_id"] for entry in library(client, kind="pasted_text")["entries"]] == [pasted]
    assert library(client, kind="pasted_text", status="queued")["entries"] == []
    assert library(client, kind="pasted_text")["counts"]["all"] == 4


@pytest.mark.parametrize("asked", [{"kind": "book"}, {"status": "done"}, {"archived": "yes"}])
def test_unknown_filters(client: httpx2.Client, asked: dict[str, str]) -> None:
    assert client.get("/api/library", params=asked).status_code == 422


def test_episode_that_nobody_saved(client: httpx2.Client, database: Database) -> None:
    save_episode(database, ALICE, fragments_of("Welcome."), audio_url="https://example.com/a.mp3")
    found = library(client)
    (entry,) = found["entries"]
    assert (entry["item_id"], entry["status"], entry["can_play"], entry["can_read"]) == (None, "succeeded", True, True)
    assert found["counts"]["by_status"]["succeeded"] == found["counts"]["by_kind"]["podcast_episode"] == 1


def test_media_saved_twice_has_one_entry(client: httpx2.Client, steps: LifecycleSteps) -> None:
    winner = steps.succeed_item(save(client))
    again = save(client)
    steps.merge_item(again, winner)
    found = library(client)
    assert [(entry["media_id"], entry["item_id"]) for entry in found["entries"]] == [(str(winner), again)]
    assert found["counts"]["all"] == 1
    assert len(client.get("/items", headers=as_user(ALICE)).json()["items"]) == 2


def test_pages_of_the_library(client: httpx2.Client, connection: Connection) -> None:
    made = [save(client, pasted_text=f"Note {n}") if n % 3 else save(client) for n in range(23)]
    connection.execute("UPDATE library_media SET created_at = date_trunc('hour', created_at)")
    connection.commit()
    links = set(made[::3])
    for asked, expected in (({}, set(made)), ({"kind": "web_article"}, links), ({"status": "queued"}, links)):
        seen: list[str] = []
        cursor: dict[str, Any] = {}
        while True:
            page = library(client, ALICE, **(asked | cursor | {"limit": 5}))
            seen += [entry["item_id"] for entry in page["entries"]]
            cursor = {"cursor": page["next_cursor"]}
            if page["next_cursor"] is None:
                break
        assert len(seen) == len(set(seen))
        assert set(seen) == expected


def test_counts_are_right_whatever_happens(
    client: httpx2.Client, connection: Connection, steps: LifecycleSteps
) -> None:
    """After random saves, pastes, retries, removals and folds the sum of the log is the number of rows."""
    chance = random.Random(7)
    library_id = library_of(client, ALICE)
    alive: list[str] = []
    for _ in range(60):
        action = chance.choice(
            ["save", "save", "paste", "settle", "fail", "retry", "fetch-again", "remove", "fold", "read", "shelve"]
        )
        item = chance.choice(alive) if alive else None
        if action in ("save", "paste") or item is None:
            saved = save(client, pasted_text="Words") if action == "paste" else save(client)
            alive += [saved] if saved not in alive else []  # a link that failed is tried again
        elif action == "remove":
            assert client.delete(f"/items/{item}", headers=as_user(ALICE)).status_code == 204
            alive.remove(item)
        elif action in ("retry", "fetch-again"):
            client.post(f"/media/{steps.media_of(item)}/{action}", headers=as_user(ALICE))
        elif action == "read":
            mark = chance.choice([client.put, client.delete])
            mark(f"/api/library/{steps.media_of(item)}/read", headers=as_user(ALICE))
        elif action == "shelve":
            state = {name: chance.random() < 0.5 for name in ("archived", "starred")}
            changed = client.patch(f"/api/library/{steps.media_of(item)}", json=state, headers=as_user(ALICE))
            assert changed.status_code == 200, changed.text
        elif action == "fold":
            connection.execute("SELECT fold_shelf_counts(%s)", [library_id])
            connection.commit()
        elif client.get(f"/items/{item}", headers=as_user(ALICE)).json()["status"] == "queued":
            steps.succeed_item(item) if action == "settle" else steps.fail_item(item)
        counts = library(client)["counts"]
        entries = library(client, limit=100, archived="any")["entries"]
        statuses = [entry["status"] for entry in entries]
        assert {status: n for status, n in counts["by_status"].items() if n} == {
            status: statuses.count(status) for status in set(statuses)
        }
        inbox = [one for one in entries if one["archived_at"] is None]
        unread = [one for one in inbox if one["status"] == "succeeded" and one["read_at"] is None]
        starred = [one for one in entries if one["starred_at"]]
        assert library(client, limit=100)["entries"] == inbox
        assert library(client, limit=100, starred=True, archived="any")["entries"] == starred
        assert (counts["inbox"], counts["archived"], counts["starred"]) == (
            len(inbox), len(entries) - len(inbox), len(starred),
        )  # fmt: skip
        assert library(client, limit=100, unread=True)["entries"] == unread
        assert counts["unread"] == len(unread)
        assert counts["all"] == len(alive) == sum(counts["by_kind"].values())


def test_marking_read_and_unread(client: httpx2.Client, steps: LifecycleSteps) -> None:
    first, waiting = save(client), save(client)
    media = steps.succeed_item(first)
    read = f"/api/library/{media}/read"
    moments = []
    for _ in range(2):
        assert client.put(read, headers=as_user(ALICE)).status_code == 204
        moments.append(library(client, status="succeeded")["entries"][0]["read_at"])
    moments.append(client.get(read, headers=as_user(ALICE)).json()["read_at"])
    assert moments[0] is not None
    assert len(set(moments)) == 1
    assert (library(client)["counts"]["unread"], library(client, unread=True)["entries"]) == (0, [])
    for _ in range(2):
        assert client.delete(read, headers=as_user(ALICE)).status_code == 204
        assert [entry["item_id"] for entry in library(client, unread=True)["entries"]] == [first]
    assert client.get(read, headers=as_user(ALICE)).json() == {"read_at": None}
    assert library(client, unread=True, status="queued")["entries"] == []
    assert library(client, unread=True, kind="pasted_text")["entries"] == []
    too_early = client.put(f"/api/library/{steps.media_of(waiting)}/read", headers=as_user(ALICE))
    assert (too_early.status_code, too_early.json()["detail"]["error"]) == (409, "media_not_ready")


def test_reading_by_the_id_of_a_merged_duplicate(client: httpx2.Client, steps: LifecycleSteps) -> None:
    winner = steps.succeed_item(save(client))
    twin = steps.merge_item(save(client, BOB), winner)
    assert client.put(f"/api/library/{twin}/read", headers=as_user(BOB)).status_code == 204
    assert [library(client, user)["entries"][0]["read_at"] is None for user in (ALICE, BOB)] == [True, False]


def test_deleting_a_user_deletes_what_they_saved(client: httpx2.Client, connection: Connection) -> None:
    save(client)
    save(client, pasted_text="Mine")
    save(client, BOB)
    connection.execute("DELETE FROM items WHERE user_id = %s", [ALICE])
    connection.execute("DELETE FROM users WHERE id = %s", [ALICE])
    connection.commit()
    assert library(client, BOB)["counts"]["all"] == 1
    assert connection.execute("SELECT count(*) FROM shelf_counts").fetchone() == (1,)


def test_receipt_of_a_waiting_item(client: httpx2.Client, steps: LifecycleSteps) -> None:
    save(client, BOB)
    item = save(client, url=LINK, pasted_text="in case")
    found = receipt(client, item)
    assert found == {
        "item_id": item,
        "media_id": str(steps.media_of(item)),
        "status": "queued",
        "status_detail": None,
        "requested_url": LINK,
        "queue_position": 2,
        "next_attempt_at": None,
        "fetching_again": False,
        "attempts": [],
        "actions": ["open_original", "delete"],
        "waiting_text": "in case",
    }


def test_receipt_of_an_item_that_waits_for_its_next_attempt(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    attempt_made = attempt_record("http_503", http_status=503, content_length=12)
    assert steps.fail(steps.claim_one(), "http_503", retryable=True, attempts=(attempt_made,)) == "requeued"
    found = receipt(client, item)
    assert found["queue_position"] is None
    assert found["next_attempt_at"] is not None
    (attempt,) = found["attempts"]
    assert set(attempt) == {
        "number", "rung", "started_at", "finished_at", "duration_ms", "result", "http_status", "final_url", "bytes",
        "error_code", "reason",
    }  # fmt: skip
    assert (attempt["number"], attempt["http_status"], attempt["bytes"]) == (1, 503, 12)
    assert "503" in attempt["reason"]


def test_receipt_offers_what_can_be_done(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    assert receipt(client, item)["actions"] == ["retry", "fetch_again", "paste", "open_original", "delete"]
    steps.exhaust_retries(item)
    assert receipt(client, item)["actions"] == ["fetch_again", "paste", "open_original", "delete"]
    done = save(client, url="https://example.com/done")
    assert receipt(client, done)["actions"] == ["open_original", "delete"], "it is in the queue"
    steps.succeed_item(done)
    assert receipt(client, done)["actions"] == ["fetch_again", "open_original", "delete"]
    pasted = receipt(client, save(client, pasted_text="Mine"))
    assert (pasted["actions"], pasted["waiting_text"], pasted["requested_url"]) == (["delete"], None, None)


def test_stats(client: httpx2.Client, connection: Connection, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.succeed_item(item)
    save(client)
    save(client, BOB)
    found = client.get("/api/stats", headers=as_user(ALICE)).json()
    assert set(found) == {"saves_per_day", "outcomes", "latency_ms", "queue_depth"}
    assert len(found["saves_per_day"]) == 30
    assert [day["count"] for day in found["saves_per_day"]] == [0] * 29 + [2]
    assert (found["outcomes"]["succeeded"], found["outcomes"]["queued"], found["queue_depth"]) == (1, 1, 1)
    # Of one item both are its own; test_latency_ends_… knows how long it took.
    assert found["latency_ms"]["p50"] == found["latency_ms"]["p90"]
    assert client.get("/api/stats", headers=as_user(uuid4())).json()["latency_ms"] is None


def test_latency_ends_with_the_first_success_after_the_save(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """A link may be saved again in its own item: attempts before that do not count."""

    def succeed(url: str, *attempts: tuple[int, str | None]) -> None:
        item = save(client, url=url)
        (saved_at,) = steps.row("SELECT created_at FROM items WHERE id = :p0", item)
        times = [(saved_at + timedelta(minutes=minutes), code) for minutes, code in attempts]
        records = [lifecycle.AttemptRecord("static", at, at, error_code=code) for at, code in times]
        steps.succeed(steps.claim_one(), article(url), attempts=tuple(records))

    def latency() -> Any:
        return client.get("/api/stats", headers=as_user(ALICE)).json()["latency_ms"]

    succeed("https://example.com/earlier", (-9, None), (-8, "timeout"))
    assert latency() is None, "nothing came after the save"
    succeed("https://example.com/later", (-3, None), (5, None), (7, None))
    assert latency() == {"p50": 300_000, "p90": 300_000}


def test_two_merges_at_once_over_the_same_users(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Both touch the libraries and counts of the same users: neither waits for the other, both add up."""
    users = [uuid4() for _ in range(6)]
    pages = [article(f"https://example.com/{page}") for page in range(2)]
    for page in pages:
        steps.succeed_item(save(client, users[0]), page.canonical_text, canonical_url=page.canonical_url)
    for user in users:
        for _ in pages:
            save(client, user)
    claims = sorted(steps.claim(limit=12), key=lambda claim: users.index(claim.user_id))
    with steps.session() as one, steps.session() as other:
        for session in (one, other):
            session.execute(text("SET LOCAL lock_timeout = '5s'"))
        for first, second in zip(claims[::2], reversed(claims[1::2]), strict=True):
            for session, claim, page in ((one, first, pages[0]), (other, second, pages[1])):
                outcome = lifecycle.Succeeded(claim, page, ())
                assert lifecycle.settle(session, [outcome], min_chars=0) == {claim: "merged"}
    for user in users:
        assert library(client, user)["counts"]["all"] == len(library(client, user)["entries"]) == 2
