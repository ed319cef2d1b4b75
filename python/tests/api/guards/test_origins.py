"""Pages of other sites, and of other ports of this host, change nothing and load nothing."""

import httpx2
import pytest

from nexus.db.session import Database
from tests.api.guards.test_identity import bearer, own_page, sign_in
from tests.api.test_errors import problem


def own_origin(client: httpx2.Client) -> str:
    return str(client.base_url).rstrip("/")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "chrome-extension://abcdefgh"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "what comes next"},
    ],
)
def test_changes_from_another_page(client: httpx2.Client, headers: dict[str, str]) -> None:
    problem(client.delete("/api/session", headers=headers), 403, "foreign_origin")


def test_every_part_of_the_origin_counts(token_client: httpx2.Client) -> None:
    """The same where NEXUS_ALLOWED_HOSTS names the host."""
    for host, origin in [
        ("nexus.example:8443", "https://nexus.example"),
        ("nexus.example:8443", "https://nexus.example:8444"),
        ("nexus.example", "http://nexus.example"),
        ("nexus.example", "https://nexus.example:80"),
        ("nexus.example", "https://nexus.example/"),
        ("nexus.example", "https://me@nexus.example"),
        ("nexus.example", "https://nexus.example:x"),
    ]:
        headers = {"Host": host, "Origin": origin, "X-Forwarded-Proto": "https"}
        problem(token_client.delete("/api/session", headers=headers), 403, "foreign_origin")


def test_two_origins_are_none_of_ours(client: httpx2.Client) -> None:
    own = own_origin(client)
    response = client.delete("/api/session", headers=[("Origin", own), ("Origin", own)])
    problem(response, 403, "foreign_origin")


def test_what_the_browser_says_of_the_page_counts_beside_the_origin(client: httpx2.Client) -> None:
    """An https page of the same host and port: another origin, to which the Host header alone would look the same."""
    headers = {"Origin": own_origin(client), "Sec-Fetch-Site": "cross-site"}
    problem(client.delete("/api/session", headers=headers), 403, "foreign_origin")


def test_changes_from_our_own_page_or_a_program(client: httpx2.Client) -> None:
    assert client.delete("/api/session", headers={"Origin": own_origin(client)}).status_code == 204
    assert client.delete("/api/session", headers=own_page(client)).status_code == 204
    assert client.delete("/api/session").status_code == 204
    for host in ("LOCALHOST:99", "[::1]:99"):
        headers = {"Host": host, "Origin": f"http://{host.lower()}"}
        assert client.delete("/api/session", headers=headers).status_code == 204


def test_changes_through_a_proxy_with_tls(token_client: httpx2.Client) -> None:
    for host in ("nexus.example", "nexus.example:8443"):
        page = {"Host": host, "Origin": f"https://{host}"}
        forwarded = page | {"X-Forwarded-Proto": "https"}
        assert token_client.delete("/api/session", headers=forwarded).status_code == 204
        # A proxy whose X-Forwarded-Proto is missing or not trusted: the browser's own word is needed.
        vouched = page | {"Sec-Fetch-Site": "same-origin"}
        assert token_client.delete("/api/session", headers=vouched).status_code == 204
        problem(token_client.delete("/api/session", headers=page), 403, "foreign_origin")


def test_a_cookie_alone_changes_nothing(token_client: httpx2.Client, database: Database) -> None:
    """Browsers name the origin of every change; what does not is no page of ours."""
    token = sign_in(token_client, database)
    note = {"pasted_text": "Kept."}
    problem(token_client.post("/items", json=note), 403, "foreign_origin")
    assert token_client.post("/items", json=note, headers=own_page(token_client)).status_code == 200
    assert token_client.post("/items", json=note, headers=bearer(token.secret)).status_code == 200
    token_client.cookies.clear()
    assert token_client.post("/items", json=note, headers=bearer(token.secret)).status_code == 200


def test_a_page_on_another_port_cannot_use_the_session(token_client: httpx2.Client, database: Database) -> None:
    sign_in(token_client, database)
    elsewhere = {"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}
    for headers in (elsewhere, {"Origin": elsewhere["Origin"]}):
        problem(token_client.post("/items", json={"pasted_text": "Not mine."}, headers=headers), 403, "foreign_origin")
    assert token_client.get("/items").json()["items"] == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_forms_of_another_page(client: httpx2.Client, kind: str) -> None:
    """Requests that a page may send anywhere without a preflight, with and without a body."""
    for body in (b"", b'{"pasted_text": "x"}'):
        headers = {"Content-Type": kind, "Origin": "http://127.0.0.1:1"}
        problem(client.post("/items", content=body, headers=headers), 403, "foreign_origin")
        without = client.post("/items", content=body, headers={"Content-Type": kind})
        problem(without, 422, "invalid_request")
    assert client.get("/items").json()["items"] == []


def test_nobody_is_told_that_other_origins_may_ask(client: httpx2.Client) -> None:
    asked = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    for response in (
        client.options("/items", headers=asked),
        client.get("/health", headers={"Origin": "https://evil.example"}),
    ):
        assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["/api/events", "/media/image?url=x", "/api/me", "/items"])
def test_another_page_loads_nothing(client: httpx2.Client, site: str, path: str) -> None:
    for rest in ({"Sec-Fetch-Mode": "no-cors"}, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}):
        problem(client.get(path, headers={"Sec-Fetch-Site": site} | rest), 403, "foreign_origin")


def test_a_link_from_another_page_works(client: httpx2.Client) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/api/me", headers=followed).status_code == 200
    typed = followed | {"Sec-Fetch-Site": "none"}
    assert client.get("/api/me", headers=typed).status_code == 200


def test_there_are_no_web_sockets(client: httpx2.Client) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert client.get("/api/me", headers=upgrade).status_code == 200  # a request like any other, not a 101
    problem(client.post("/items", headers=upgrade | {"Origin": "https://evil.example"}), 403, "foreign_origin")
