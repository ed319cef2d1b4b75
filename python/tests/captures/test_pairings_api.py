"""A code that is copied once becomes a token, which its user can list and revoke."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest

from tests.api.saving import ALICE, BOB, as_user
from tests.api.test_errors import problem
from tests.captures.test_extension_access import CHROME, extension


def new_code(client: httpx2.Client, user: UUID = ALICE) -> str:
    response = client.post("/api/pairings", headers=as_user(user))
    assert response.status_code == 201, response.text
    code: str = response.json()["code"]
    return code


def exchange(client: httpx2.Client, code: str, **body: str) -> httpx2.Response:
    return client.post("/api/pairings/exchange", json={"code": code} | body, headers=extension(None))


def paired(client: httpx2.Client, user: UUID = ALICE) -> list[dict[str, str]]:
    found: list[dict[str, str]] = client.get("/api/pairings", headers=as_user(user)).json()
    return found


def test_a_code_becomes_a_token_once(client: httpx2.Client, connection: psycopg.Connection) -> None:
    code = new_code(client)
    response = exchange(client, code, name="  Firefox on\nmy laptop ")
    assert response.status_code == 201, response.text
    assert response.headers["access-control-allow-origin"] == CHROME
    made = response.json()
    assert (made["user_id"], made["name"]) == (str(ALICE), "Firefox on my laptop")
    me = client.get("/api/me", headers=extension(made["token"])).json()
    assert (me["user_id"], me["operator"]) == (str(ALICE), False)
    problem(exchange(client, code), 404, "unknown_pairing_code")
    stored = connection.execute("SELECT * FROM api_tokens").fetchall()
    assert len(stored) == 1
    assert made["token"] not in str(stored)


def test_a_code_that_is_too_old_or_was_replaced(client: httpx2.Client, connection: psycopg.Connection) -> None:
    first, second = new_code(client), new_code(client)
    problem(exchange(client, first), 404, "unknown_pairing_code")
    connection.execute("UPDATE pairing_codes SET created_at = now() - interval '11 min', expires_at = now()")
    connection.commit()
    problem(exchange(client, second), 404, "unknown_pairing_code")
    assert new_code(client)
    assert paired(client) == []


def test_of_many_at_once_one_gets_it(client: httpx2.Client) -> None:
    code = new_code(client)
    with ThreadPoolExecutor(6) as pool:
        statuses = sorted(each.status_code for each in pool.map(lambda _: exchange(client, code), range(6)))
    assert statuses == [201] + [404] * 5
    assert len(paired(client)) == 1


def test_the_list_is_ones_own(client: httpx2.Client) -> None:
    mine = exchange(client, new_code(client)).json()
    theirs = exchange(client, new_code(client, BOB), name="Chrome").json()
    assert [(each["id"], each["name"]) for each in paired(client)] == [(mine["id"], "Browser extension")]
    client.get("/api/me", headers=extension(theirs["token"]))
    assert [each["name"] for each in paired(client, BOB)] == ["Chrome"]
    assert paired(client, BOB)[0]["last_used_at"]
    never = client.delete(f"/api/pairings/{uuid4()}", headers=as_user(ALICE)).json()["detail"]["message"]
    other = client.delete(f"/api/pairings/{theirs['id']}", headers=as_user(ALICE))
    assert problem(other, 404, "not_found")["message"] == never
    assert client.get("/api/me", headers=extension(theirs["token"])).status_code == 200


@pytest.mark.parametrize("by", ["the user", "the extension"])
def test_ending_it(client: httpx2.Client, by: str) -> None:
    made = exchange(client, new_code(client)).json()
    if by == "the user":
        ended = client.delete(f"/api/pairings/{made['id']}", headers=as_user(ALICE))
    else:
        ended = client.delete("/api/pairings/current", headers=extension(made["token"]))
    assert ended.status_code == 204
    problem(client.get("/api/me", headers=extension(made["token"])), 401, "unauthenticated")
    assert paired(client) == []
    problem(client.delete("/api/pairings/current", headers=as_user(ALICE)), 404, "not_found")


def test_so_many_and_no_more(client: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nexus.services.pairings.MAX_PAIRED", 1)
    made = exchange(client, new_code(client)).json()
    refused = problem(client.post("/api/pairings", headers=as_user(ALICE)), 409, "too_many_pairings")
    assert "Disconnect one" in refused["message"]
    assert new_code(client, BOB)
    assert client.delete(f"/api/pairings/{made['id']}", headers=as_user(ALICE)).status_code == 204
    assert new_code(client)


def test_one_that_was_ended_is_forgotten_after_a_month(client: httpx2.Client, connection: psycopg.Connection) -> None:
    ended, recent, used = (exchange(client, new_code(client)).json()["id"] for _ in range(3))
    for each in (ended, recent):
        assert client.delete(f"/api/pairings/{each}", headers=as_user(ALICE)).status_code == 204
    connection.execute("UPDATE api_tokens SET revoked_at = now() - interval '31 days' WHERE id = %s", [ended])
    connection.commit()
    newest = exchange(client, new_code(client, BOB)).json()["id"]
    left = {str(row[0]) for row in connection.execute("SELECT id FROM api_tokens").fetchall()}
    assert left == {recent, used, newest}


def test_only_its_user_makes_a_code(token_client: httpx2.Client) -> None:
    problem(token_client.post("/api/pairings"), 401, "unauthenticated")
    problem(token_client.get("/api/pairings"), 401, "unauthenticated")


def test_pages_of_the_web_cannot_exchange(client: httpx2.Client) -> None:
    code = new_code(client)
    headers = {"Origin": "https://evil.example"}
    problem(client.post("/api/pairings/exchange", json={"code": code}, headers=headers), 403, "foreign_origin")
    assert exchange(client, code).status_code == 201
