"""Who is asking, in both modes."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest
from sqlalchemy import event

from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.services import tokens
from tests.api.test_errors import problem
from tests.conftest import running_app, settings_for

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
        responses = list(pool.map(lambda _: client.get("/api/me", headers={"X-User-Id": str(USER)}), range(64)))
    assert {response.status_code for response in responses} == {200}
    assert len({response.json()["default_library_id"] for response in responses}) == 1
    assert connection.execute("SELECT count(*) FROM libraries").fetchone() == (1,)


def test_token_mode_wants_a_token(token_client: httpx2.Client) -> None:
    response = token_client.get("/api/me", headers={"X-User-Id": str(USER)})
    problem(response, 401, "unauthenticated")
    assert response.headers["www-authenticate"] == "Bearer"


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


def own_page(client: httpx2.Client) -> dict[str, str]:
    """The headers that a browser sends with a request of our own page."""
    return {"Origin": str(client.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}


def sent_cookies(client: httpx2.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def sign_in(client: httpx2.Client, database: Database) -> tokens.NewToken:
    token = make_token(database)
    response = client.post("/api/session", json={"token": token.secret}, headers=own_page(client))
    assert response.status_code == 200, response.text
    return token


def test_signing_in_keeps_a_cookie_no_script_can_read(token_client: httpx2.Client, database: Database) -> None:
    token = make_token(database)
    response = token_client.post("/api/session", json={"token": token.secret})
    assert response.json()["user_id"] == str(USER)
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"nexus_session_{token_client.base_url.port}=nxb_")
    assert token.secret not in cookie
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert token_client.get("/api/me").json()["user_id"] == str(USER)
    assert token_client.delete("/api/session", headers=own_page(token_client)).status_code == 204
    assert token_client.get("/api/me").status_code == 401


def test_signing_out_ends_the_session_on_the_server(token_client: httpx2.Client, database: Database) -> None:
    sign_in(token_client, database)
    stolen = {"Cookie": sent_cookies(token_client)}
    assert token_client.delete("/api/session", headers=own_page(token_client)).status_code == 204
    problem(token_client.get("/api/me", headers=stolen), 401, "unauthenticated")


def test_signing_in_again_ends_the_session_before(token_client: httpx2.Client, database: Database) -> None:
    sign_in(token_client, database)
    before = {"Cookie": sent_cookies(token_client)}
    sign_in(token_client, database)
    assert token_client.get("/api/me").status_code == 200
    token_client.cookies.clear()
    problem(token_client.get("/api/me", headers=before), 401, "unauthenticated")


@pytest.mark.parametrize(("table", "reads"), [("sessions", "cookie"), ("api_tokens", "token")])
def test_a_request_outlives_what_it_was_let_in_with(
    token_client: httpx2.Client, database: Database, connection: psycopg.Connection, table: str, reads: str
) -> None:
    token = sign_in(token_client, database)
    connection.execute("UPDATE api_tokens SET last_used_at = NULL")
    connection.commit()
    deleted: list[int] = []

    def delete_once_read(_: object, __: object, statement: str, *others: object) -> None:
        if not deleted and statement.startswith("SELECT") and f"FROM {table}" in statement:
            deleted.append(connection.execute(f"DELETE FROM {table}").rowcount)
            connection.commit()

    event.listen(database.engine, "after_cursor_execute", delete_once_read)
    try:
        if reads == "cookie":
            response = token_client.get("/api/me")
        else:
            token_client.cookies.clear()
            response = token_client.get("/api/me", headers=bearer(token.secret))
    finally:
        event.remove(database.engine, "after_cursor_execute", delete_once_read)
    assert deleted == [1], "the row was not deleted between reading it and noting its use"
    assert response.status_code == 200, response.text
    assert token_client.get("/api/me").status_code == 401


def test_revoking_the_token_ends_its_sessions(
    token_client: httpx2.Client, database: Database, connection: psycopg.Connection
) -> None:
    token = sign_in(token_client, database)
    with database.transaction() as session:
        tokens.revoke_token(session, token.id)
    problem(token_client.get("/api/me"), 401, "unauthenticated")
    assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_a_session_ends_by_itself(
    token_client: httpx2.Client, database: Database, connection: psycopg.Connection
) -> None:
    sign_in(token_client, database)
    connection.execute("UPDATE sessions SET created_at = now() - interval '31 days', expires_at = now()")
    connection.commit()
    problem(token_client.get("/api/me"), 401, "unauthenticated")
    token_client.cookies.clear()
    sign_in(token_client, database)
    assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (1,), "the old one was left lying"


def test_only_the_hash_of_a_session_is_kept(
    token_client: httpx2.Client, database: Database, connection: psycopg.Connection
) -> None:
    sign_in(token_client, database)
    (secret,) = token_client.cookies.values()
    row = connection.execute("SELECT sessions::text FROM sessions").fetchone()
    assert row is not None
    assert secret.removeprefix("nxb_") not in row[0]
    assert secret.removeprefix("nxb_").encode().hex() not in row[0]


def test_a_cookie_is_no_token_and_a_token_no_cookie(token_client: httpx2.Client, database: Database) -> None:
    token = sign_in(token_client, database)
    ((name, secret),) = token_client.cookies.items()
    token_client.cookies.clear()
    problem(token_client.get("/api/me", headers=bearer(secret)), 401, "unauthenticated")
    for cookie in (name, "nexus_session"):
        response = token_client.get("/api/me", headers={"Cookie": f"{cookie}={token.secret}"})
        problem(response, 401, "unauthenticated")


def test_the_cookie_of_older_versions_is_forgotten(token_client: httpx2.Client, database: Database) -> None:
    token = make_token(database)
    held = {"Cookie": f"nexus_session={token.secret}"} | own_page(token_client)
    response = token_client.post("/api/session", json={"token": token.secret}, headers=held)
    old = [cookie for cookie in response.headers.get_list("set-cookie") if cookie.startswith("nexus_session=")]
    assert len(old) == 1
    assert "max-age=0" in old[0].lower()
    assert token.secret not in old[0]


def test_two_servers_on_one_host_keep_their_sessions_apart(
    token_client: httpx2.Client, database: Database, postgres: EmbeddedServer, database_name: str
) -> None:
    """Two servers on one host: a browser sends the cookies of each to the other as well."""
    sign_in(token_client, database)
    settings = settings_for(postgres, database_name, auth="token")
    with running_app(settings, database) as url, httpx2.Client(base_url=url, timeout=60) as other:
        other.cookies.update(token_client.cookies)
        problem(other.get("/api/me"), 401, "unauthenticated")
        sign_in(other, database)
        token_client.cookies.update(other.cookies)
        assert token_client.get("/api/me").status_code == other.get("/api/me").status_code == 200
        assert other.delete("/api/session", headers=own_page(other)).status_code == 204
    assert token_client.get("/api/me").status_code == 200


def test_signing_in_with_a_wrong_token(token_client: httpx2.Client) -> None:
    response = token_client.post("/api/session", json={"token": "nxs_wrong"})
    problem(response, 401, "unauthenticated")
    assert "set-cookie" not in response.headers


def test_nobody_needs_to_sign_in_in_dev_mode(client: httpx2.Client) -> None:
    problem(client.post("/api/session", json={"token": "x"}), 409, "conflict")


def test_behind_https_the_cookie_is_secure_and_of_this_host_only(
    token_client: httpx2.Client, database: Database
) -> None:
    proxied = {"X-Forwarded-Proto": "https", "Host": "nexus.example", "Origin": "https://nexus.example"}
    token = make_token(database)
    response = token_client.post("/api/session", json={"token": token.secret}, headers=proxied)
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Host-nexus_session_443=nxb_")
    assert {"secure", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert "domain" not in cookie.lower()
    back = {"Cookie": cookie.partition(";")[0]}
    assert token_client.get("/api/me", headers=proxied | back).status_code == 200
    assert token_client.delete("/api/session", headers=proxied | back).status_code == 204
    problem(token_client.get("/api/me", headers=proxied | back), 401, "unauthenticated")


def test_a_page_made_for_somebody_else_changes_nothing(token_client: httpx2.Client, database: Database) -> None:
    signed_in = bearer(make_token(database).secret)
    body = {"pasted_text": "Written by whoever was here before"}
    for expected in (str(uuid4()), "", "nobody"):
        asked = signed_in | {"X-Expected-User": expected}
        problem(token_client.post("/items", headers=asked, json=body), 409, "other_user")
        for path in ("/api/library", "/api/search?q=written", "/api/search/suggestions?q=w"):
            problem(token_client.get(path, headers=asked), 409, "other_user")
    assert token_client.get("/items", headers=signed_in).json()["items"] == []
    response = token_client.post("/items", headers=signed_in | {"X-Expected-User": str(USER)}, json=body)
    assert response.status_code == 200
