"""What a user decides about an entry: archived, starred, a title and a note of their own."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.api.test_library_api import library
from tests.lifecycle_steps import LONG, LifecycleSteps, article


def change(client: httpx2.Client, media: UUID | str, user: UUID = ALICE, **body: Any) -> dict[str, Any]:
    response = client.patch(f"/api/library/{media}", json=body, headers=as_user(user))
    assert response.status_code == 200, response.text
    entry: dict[str, Any] = response.json()
    return entry


def entry(client: httpx2.Client, media: UUID | str, user: UUID = ALICE) -> dict[str, Any]:
    response = client.get(f"/api/library/{media}", headers=as_user(user))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> UUID:
    return steps.succeed_item(save(client), title="As published")


def test_state_of_an_entry(client: httpx2.Client, media: UUID) -> None:
    changed = change(client, media, read=True, archived=True, starred=True, title="  My\n\x1b title\0 ", note=" Why ")
    assert entry(client, media) == changed
    assert (changed["title"], changed["own_title"], changed["note"]) == ("My title", "My title", "Why")
    assert changed["read_at"] == changed["last_read_at"] == changed["archived_at"] == changed["starred_at"] is not None
    assert library(client)["entries"] == []
    for asked in ({"archived": "true"}, {"archived": "any"}, {"archived": "any", "starred": True}):
        assert library(client, ALICE, **asked)["entries"] == [changed]
    again = change(client, media, archived=True)
    assert again["archived_at"] == changed["archived_at"], "since when it is archived"
    back = change(client, media, read=False, archived=False, starred=False, title="", note=None)
    assert back["title"] == "As published"
    assert [back[name] for name in ("read_at", "archived_at", "starred_at", "own_title", "note")] == [None] * 5
    assert library(client)["entries"] == [back]
    assert change(client, media) == back, "nothing given, nothing changed"


def test_reading_on_is_told_by_the_entry(client: httpx2.Client, media: UUID) -> None:
    now = datetime.now(UTC).isoformat()
    place = {"fragment_idx": 0, "offset": 3, "fraction": 0.25, "client_time": now}
    assert client.put(f"/api/library/{media}/position", json=place, headers=as_user(ALICE)).status_code == 200
    found = entry(client, media)
    assert found["position"]["fraction"] == 0.25
    assert found["last_read_at"] == found["position"]["updated_at"]


def test_search_looks_in_the_archive_too(client: httpx2.Client, steps: LifecycleSteps) -> None:
    found = steps.succeed_item(save(client), "A zebra crossing")
    change(client, found, archived=True)

    def hits(**asked: Any) -> int:
        answer = client.get("/api/search", params={"q": "zebra"} | asked, headers=as_user(ALICE)).json()
        return len(answer["hits"])

    assert (hits(), hits(archived="true"), hits(archived="false"), hits(starred=True)) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    "body",
    [
        {"archived": None}, {"starred": "perhaps"}, {"title": "x" * 501}, {"note": "x" * 10_001}, {"tagged": True},
        {"archived": True, "client_time": "2026-01-01T10:00:00"}, {"archived": True, "client_time": "yesterday"},
        {"archived": True, "client_time": 1_700_000_000}, {"archived": True, "client_time": "1700000000"},
    ],
)  # fmt: skip
def test_changes_that_make_no_sense(client: httpx2.Client, media: UUID, body: dict[str, Any]) -> None:
    problem(client.patch(f"/api/library/{media}", json=body, headers=as_user(ALICE)), 422, "invalid_request")
    assert entry(client, media)["archived_at"] is None


def test_what_cannot_be_stored_is_left_out(client: httpx2.Client, media: UUID) -> None:
    assert change(client, media, note="a\0b")["note"] == "ab"


def test_an_earlier_decision_that_comes_later_changes_nothing(client: httpx2.Client, media: UUID) -> None:
    change(client, media, archived=True, client_time=ago(minutes=10))
    for older in (ago(minutes=11), ago(days=400)):
        assert change(client, media, archived=False, client_time=older)["archived_at"] is not None
    # Another part of the state was decided at another time.
    assert change(client, media, starred=True, client_time=ago(minutes=11))["starred_at"] is not None
    assert change(client, media, archived=False, client_time=ago(minutes=9))["archived_at"] is None
    assert change(client, media, note="first", client_time="0001-01-01T00:00:00+14:00")["note"] == "first"
    # A clock that is ahead does not win for ever.
    ahead = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert change(client, media, archived=True, client_time=ahead)["archived_at"] <= datetime.now(UTC).isoformat()
    assert change(client, media, archived=False)["archived_at"] is None


def test_two_users_of_one_page(client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    twin = steps.merge_item(save(client, BOB), media)
    change(client, twin, BOB, archived=True, note="Bob's")
    assert (entry(client, media, BOB)["note"], entry(client, media)["note"]) == ("Bob's", None)
    assert library(client)["counts"]["archived"] == 0


def test_reading_needs_a_text(client: httpx2.Client, steps: LifecycleSteps) -> None:
    waiting = steps.media_of(save(client))
    refused = client.patch(f"/api/library/{waiting}", json={"read": True, "starred": True}, headers=as_user(ALICE))
    problem(refused, 409, "media_not_ready")
    assert entry(client, waiting)["starred_at"] is None, "all of it or nothing"
    assert change(client, waiting, read=False, starred=True)["starred_at"] is not None


def test_other_windows_get_an_event(dev_server: str, client: httpx2.Client, media: UUID) -> None:
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        change(client, media, archived=True)
        assert mine.next() == ("entry", {"media_id": str(media)})
        change(client, media, archived=True)
        change(client, media, read=True)
        assert mine.next()[0] == "read"
        theirs.nothing_more()
        mine.nothing_more()


def test_saving_an_archived_page_again_brings_it_back(client: httpx2.Client, steps: LifecycleSteps) -> None:
    found = steps.succeed_item(save(client))
    change(client, found, archived=True, starred=True, note="First")
    newer = steps.succeed_item(save(client, url="https://example.com/newer"))
    again = save(client)
    change(client, steps.media_of(again), note="Second", title="Mine")
    steps.merge_item(again, found)
    shown = library(client)["entries"]
    assert [one["media_id"] for one in shown] == [str(found), str(newer)], "as the newest"
    assert (shown[0]["archived_at"], shown[0]["note"], shown[0]["title"]) == (None, "First\n\nSecond", "Mine")
    assert shown[0]["starred_at"] is not None
    # Archived while it was read again: that was decided last.
    change(client, found, archived=True)
    again = save(client)
    change(client, steps.media_of(again), archived=True)
    steps.merge_item(again, found)
    assert [one["media_id"] for one in library(client)["entries"]] == [str(newer)]


@pytest.mark.parametrize("is_read", [True, False])
def test_saving_again_is_a_decision(client: httpx2.Client, steps: LifecycleSteps, is_read: bool) -> None:
    """The same for a page that was not archived: a device sends an earlier decision later."""
    first = save(client)
    if is_read:
        found = steps.succeed_item(first)
    else:
        steps.fail_item(first)
        found = steps.media_of(first)
    before = ago()
    again = save(client)
    if is_read:
        steps.merge_item(again, found)
    assert change(client, found, archived=True, client_time=before)["archived_at"] is None
    assert change(client, found, archived=True)["archived_at"]


def test_the_later_decision_about_the_archive_counts(client: httpx2.Client, steps: LifecycleSteps) -> None:
    found = steps.succeed_item(save(client))
    change(client, found, archived=False)
    for later, is_archived in ((True, True), (False, False)):
        again = save(client)
        change(client, steps.media_of(again), archived=True)
        if not later:
            change(client, found, archived=False)
        steps.merge_item(again, found)
        assert (entry(client, found)["archived_at"] is not None) == is_archived
    # An earlier decision that comes later changes nothing in the joined one either.
    again, before = save(client), datetime.now(UTC).isoformat()
    change(client, steps.media_of(again), archived=False)
    steps.merge_item(again, found)
    assert change(client, found, archived=True, client_time=before)["archived_at"] is None


def test_saving_a_link_again_that_failed_brings_it_back(client: httpx2.Client, steps: LifecycleSteps) -> None:
    failed = save(client)
    steps.fail_item(failed)
    change(client, steps.media_of(failed), archived=True)
    assert save(client) == failed
    assert [one["item_id"] for one in library(client)["entries"]] == [failed]


def test_state_goes_along_when_a_text_is_pasted(client: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(client)
    steps.fail_item(item)
    change(client, steps.media_of(item), starred=True, title="Mine", note="Why")
    pasted = client.patch(f"/items/{item}/text", json={"pasted_text": "My words"}, headers=as_user(ALICE))
    assert pasted.status_code == 200
    kept = entry(client, steps.media_of(item))
    assert (kept["title"], kept["note"], kept["starred_at"] is not None) == ("Mine", "Why", True)


def test_state_goes_along_to_a_page_that_is_there(client: httpx2.Client, steps: LifecycleSteps) -> None:
    there = steps.succeed_item(save(client), LONG, canonical_url=LINK)
    item = save(client, url="https://example.com/short")
    steps.succeed(steps.claim_one(), article("https://example.com/short", "Short."))
    short = steps.media_of(item)
    change(client, there, note="Long", tags=["a"])
    change(client, short, starred=True, title="Mine", note="Short", tags=["b"])
    assert client.post(f"/media/{short}/fetch-again", headers=as_user(ALICE)).status_code == 202
    steps.succeed(steps.claim_one(), article(LINK))
    kept = entry(client, short)
    assert kept["media_id"] == str(there), "the old id leads to it"
    assert (kept["title"], kept["note"], kept["tags"]) == ("Mine", "Long\n\nShort", ["a", "b"])
    assert kept["starred_at"] is not None
