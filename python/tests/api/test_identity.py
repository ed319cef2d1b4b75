"""Who is asking, in both modes."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest

from nexus.db.session import Database
from nexus.services import tokens
from tests.api.test_errors import problem

USER = UUID("11111111-1111-1111-1111-111111111111")


def make_token(database: Database, *, operator: bool = False) -> tokens.NewToken:
    with database.transaction() as session:
        return tokens.create_token(session, USER, operator=operator, label="test")


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_dev_mode_without_a_header_is_the_dev_user(client: httpx2.Client) -> None:
    me = client.get("/api/me").json()
    assert me["user_id"] == "00000000-0000-0000-0000-000000000001"
    assert me["auth"] == "dev"


def test_dev_mode_takes_the_header(client: httpx2.Client) -> None:
    first = client.get("/api/me", headers={"X-User-Id": str(USER)}).json()
    again = client.get("/api/me", headers={"X-User-Id": str(USER)}).json()
    other = client.get("/api/me", headers={"X-User-Id": str(uuid4())}).json()
    assert first == again
    assert first["user_id"] == str(USER)
    assert other["default_library_id"] != first["default_library_id"]


@pytest.mark.parametrize("user", ["", "me", "11111111-1111-1111-1111-11111111111", "1; DROP TABLE users"])
def test_dev_mode_refuses_what_is_no_uuid(client: httpx2.Client, user: str) -> None:
    problem(client.get("/api/me", headers={"X-User-Id": user}), 400, "invalid_user_id")


def test_first_sight_of_a_user_by_many_requests_at_once(client: httpx2.Client, connection: psycopg.Connection) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: client.get("/api/me", headers={"X-User-Id": str(USER)}), range(64)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["default_library_id"] for answer in answers}) == 1
    assert connection.execute("SELECT count(*) FROM libraries").fetchone() == (1,)


def test_token_mode_wants_a_token(token_client: httpx2.Client) -> None:
    answer = token_client.get("/api/me", headers={"X-User-Id": str(USER)})
    problem(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("secret", ["x", "nxs_" + "a" * 43, "nxs_", "nxs_" + "a" * 200, "ünïcode"])
def test_token_mode_refuses_an_unknown_token(token_client: httpx2.Client, secret: str) -> None:
    problem(
        token_client.get("/api/me", headers=[(b"Authorization", f"Bearer {secret}".encode())]), 401, "unauthenticated"
    )


def test_token_mode_knows_its_user_and_ignores_the_header(token_client: httpx2.Client, database: Database) -> None:
    headers = bearer(make_token(database, operator=True).secret) | {"X-User-Id": str(uuid4())}
    me = token_client.get("/api/me", headers=headers).json()
    assert me["user_id"] == str(USER)
    assert me["operator"] is True
    assert me["auth"] == "token"


def test_revoked_token_is_refused_at_once(token_client: httpx2.Client, database: Database) -> None:
    token = make_token(database)
    assert token_client.get("/api/me", headers=bearer(token.secret)).status_code == 200
    with database.transaction() as session:
        tokens.revoke_token(session, token.id)
    problem(token_client.get("/api/me", headers=bearer(token.secret)), 401, "unauthenticated")


def test_only_the_hash_is_kept(database: Database, connection: psycopg.Connection) -> None:
    secret = make_token(database).secret
    row = connection.execute("SELECT api_tokens::text FROM api_tokens").fetchone()
    assert row is not None
    assert secret not in row[0]
    assert secret.removeprefix("nxs_").encode().hex() not in row[0]


def test_use_is_noted_once_an_hour(
    token_client: httpx2.Client, database: Database, connection: psycopg.Connection
) -> None:
    headers = bearer(make_token(database).secret)
    noted = []
    for _ in range(2):
        assert token_client.get("/api/me", headers=headers).status_code == 200
        noted.append(connection.execute("SELECT last_used_at FROM api_tokens").fetchone())
        connection.commit()
    assert noted[0] == noted[1] != (None,)


def test_signing_in_keeps_a_cookie_no_script_can_read(token_client: httpx2.Client, database: Database) -> None:
    token = make_token(database)
    answer = token_client.post("/api/session", json={"token": token.secret})
    assert answer.json()["user_id"] == str(USER)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert token_client.get("/api/me").json()["user_id"] == str(USER)
    assert token_client.delete("/api/session").status_code == 204
    assert token_client.get("/api/me").status_code == 401


def test_revoking_the_token_ends_its_sessions(token_client: httpx2.Client, database: Database) -> None:
    token = make_token(database)
    token_client.post("/api/session", json={"token": token.secret})
    with database.transaction() as session:
        tokens.revoke_token(session, token.id)
    problem(token_client.get("/api/me"), 401, "unauthenticated")


def test_signing_in_with_a_wrong_token(token_client: httpx2.Client) -> None:
    answer = token_client.post("/api/session", json={"token": "nxs_wrong"})
    problem(answer, 401, "unauthenticated")
    assert "set-cookie" not in answer.headers


def test_nobody_needs_to_sign_in_in_dev_mode(client: httpx2.Client) -> None:
    problem(client.post("/api/session", json={"token": "x"}), 409, "conflict")


def test_cookie_is_secure_behind_https(token_client: httpx2.Client, database: Database) -> None:
    token = make_token(database)
    answer = token_client.post(
        "/api/session",
        json={"token": token.secret},
        headers={"X-Forwarded-Proto": "https", "Origin": str(token_client.base_url).rstrip("/")},
    )
    assert "secure" in answer.headers["set-cookie"].lower()
