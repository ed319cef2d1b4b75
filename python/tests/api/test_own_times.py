"""A user who saves a page that others saved before sees nothing of the others."""

import re
from datetime import datetime
from typing import Any
from uuid import uuid4

import httpx2
from psycopg import Connection

from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.lifecycle_steps import LONG, LifecycleSteps, article

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def now(connection: Connection) -> datetime:
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    connection.commit()
    assert row is not None
    moment: datetime = row[0]
    return moment


def everything_about(client: httpx2.Client, item: str, *media_ids: object) -> dict[str, Any]:
    paths = [
        f"/items/{item}?include_content=true", "/items", "/api/library", "/api/search?q=worth", "/api/stats",
        f"/api/items/{item}/receipt",
        *(f"/media/{media_id}{rest}" for media_id in media_ids for rest in ("", "/fragments", "/versions")),
    ]  # fmt: skip
    found = {}
    for path in paths:
        response = client.get(path, headers=as_user(BOB))
        assert response.status_code == 200, path
        found[path] = response.json()
    return found


def test_no_time_that_bob_sees_is_older_than_his_save(
    client: httpx2.Client, connection: Connection, steps: LifecycleSteps
) -> None:
    save(client, ALICE)
    for _ in range(2):
        steps.make_due()
        claim = steps.claim_one()
        steps.fail(claim, "timeout", retryable=True) if claim.attempts == 1 else steps.succeed(claim, article(LINK))
    before = now(connection)
    item = save(client, BOB)
    mine = steps.media_of(item)
    steps.succeed(steps.claim_one(), article(LINK))
    winner = steps.media_of(item)
    assert winner != mine
    found = everything_about(client, item, winner, mine)
    for path, body in found.items():
        times = [datetime.fromisoformat(time) for time in TIME.findall(str(body))]
        assert all(time >= before for time in times), path
    by_own_id, by_winner = (found[f"/media/{known_as}"]["data"] for known_as in (mine, winner))
    assert (by_own_id["duplicate"], by_winner["duplicate"]) == (True, False)
    assert by_own_id["processing_attempts"] == by_winner["processing_attempts"] == 1, "not Alice's two"
    entry = found["/api/library"]["entries"][0]
    assert by_winner["created_at"] == entry["created_at"] == found["/items"]["items"][0]["created_at"]


def test_what_alice_does_later_changes_nothing_for_bob_but_a_new_version(
    client: httpx2.Client, steps: LifecycleSteps
) -> None:
    """Bob sees nothing of a fetch that gave less text."""
    first = save(client, ALICE)
    steps.succeed(steps.claim_one(), article(LINK))
    item = save(client, BOB)
    mine = steps.media_of(item)
    steps.succeed(steps.claim_one(), article(LINK))
    winner = steps.media_of(item)
    before = everything_about(client, item, winner, mine)
    assert client.post(f"/media/{winner}/fetch-again", headers=as_user(ALICE)).status_code == 202
    assert steps.succeed(steps.claim_one(), article(LINK, LONG[:700])) == "unchanged"
    assert client.put(f"/api/library/{winner}/read", headers=as_user(ALICE)).status_code == 204
    save(client, ALICE)
    steps.succeed(steps.claim_one(), article(LINK))
    assert everything_about(client, item, winner, mine) == before
    assert client.delete(f"/items/{first}", headers=as_user(ALICE)).status_code == 204
    assert everything_about(client, item, winner, mine) == before


def test_an_id_answers_only_to_whom_it_was_given(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Otherwise the answer would reveal that somebody else saved the same page."""
    save(client, ALICE)
    steps.succeed(steps.claim_one(), article(LINK))
    ids = {}
    for user in (ALICE, BOB):
        item = save(client, user)
        ids[user] = steps.media_of(item)
        steps.succeed(steps.claim_one(), article(LINK))
    never = client.get(f"/media/{uuid4()}", headers=as_user(BOB)).json()["detail"]["message"]
    for path in ("/media/{}", "/media/{}/fragments", "/media/{}/versions", "/api/library/{}/read"):
        assert client.get(path.format(ids[BOB]), headers=as_user(BOB)).status_code == 200
        theirs = client.get(path.format(ids[ALICE]), headers=as_user(BOB))
        assert (theirs.status_code, theirs.json()["detail"]["message"]) == (404, never)
