"""A browser extension uses a few routes with the token it was paired with; pages of the web use none."""

import httpx2
import pytest

from nexus.db.session import Database
from nexus.services.tokens import create_token
from tests.api.saving import ALICE, BOB
from tests.api.test_errors import problem
from tests.captures.capturing import PAGE, page

CHROME, FIREFOX = (
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
    "moz-extension://0e6f9c7a-5d1b-4c38-9a52-7f3c1b2d4e5f",
)
CROSS_SITE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
BODY = {"url": PAGE, "html": page()}
ID = "3f1c2b4a-9d8e-4f6a-8b7c-1e2d3c4b5a69"
ITEM = f"/items/{ID}"
ALLOWED = [
    ("POST", "/api/captures"), ("GET", f"/api/captures/lookup?url={PAGE}"), ("POST", "/items"), ("GET", ITEM),
    ("GET", "/api/tags"), ("GET", "/api/me"), ("DELETE", "/api/pairings/current"),
]  # fmt: skip
NOT_ALLOWED = [
    ("GET", "/items"), ("DELETE", ITEM), ("PATCH", f"{ITEM}/text"), ("GET", "/api/library"), ("POST", "/api/tags"),
    ("DELETE", "/api/captures"), ("POST", "/api/library/bulk"), ("GET", "/api/pairings"), ("POST", "/api/pairings"),
    ("DELETE", f"/api/pairings/{ID}"), ("GET", f"/media/{ID}"), ("POST", "/api/session"), ("GET", "/"),
    ("GET", "/api/store"), ("POST", "/api/captures/"), ("POST", "/media/from_url"), ("GET", "/highlights"),
]  # fmt: skip


@pytest.fixture(params=["dev", "token"])
def server(request: pytest.FixtureRequest) -> httpx2.Client:
    """A server in each mode: in dev mode anybody on this machine has access, but an extension has not."""
    http: httpx2.Client = request.getfixturevalue("client" if request.param == "dev" else "token_client")
    return http


@pytest.fixture
def token(database: Database) -> str:
    with database.transaction() as session:
        return create_token(session, ALICE, operator=False, label="Firefox", paired=True).secret


def extension(token: str | None, origin: str = CHROME) -> dict[str, str]:
    return CROSS_SITE | {"Origin": origin} | ({"Authorization": f"Bearer {token}"} if token else {})


def ask(
    client: httpx2.Client, method: str, path: str, headers: dict[str, str], cookies: str | None = None
) -> httpx2.Response:
    body = BODY if path == "/api/captures" else {"url": PAGE}
    more = {"Cookie": cookies} if cookies else {}
    return client.request(method, path, headers=headers | more, json=body if method == "POST" else None)


@pytest.mark.parametrize("origin", [CHROME, FIREFOX])
def test_with_its_token(server: httpx2.Client, token: str, origin: str) -> None:
    for method, path in ALLOWED:
        response = ask(server, method, path, extension(token, origin))
        assert response.status_code in ({404} if path == ITEM else {200, 201, 204}), response.text
        assert response.headers["access-control-allow-origin"] == origin
        assert "Origin" in response.headers["vary"]
        assert "access-control-allow-credentials" not in response.headers


def test_without_a_token_or_with_one_that_is_not_valid(server: httpx2.Client) -> None:
    for method, path in ALLOWED:
        for headers in (extension(None), extension(None) | {"Authorization": "Basic x"}):
            refused = ask(server, method, path, headers)
            problem(refused, 403, "foreign_origin")
            assert "access-control-allow-origin" not in refused.headers
        unknown = ask(server, method, path, extension("nxs_" + "x" * 43))
        problem(unknown, 401, "unauthenticated")
        assert unknown.headers["access-control-allow-origin"] == CHROME


def test_other_routes(server: httpx2.Client, token: str) -> None:
    for method, path in NOT_ALLOWED:
        refused = ask(server, method, path, extension(token))
        problem(refused, 403, "foreign_origin")
        assert "access-control-allow-origin" not in refused.headers
        preflight = CROSS_SITE | {"Origin": CHROME, "Access-Control-Request-Method": method}
        problem(server.options(path, headers=preflight), 403, "foreign_origin")


@pytest.mark.parametrize("origin", ["https://paper.example", "null", "https://chrome-extension", "chrome-extension://"])
def test_pages_of_the_web(server: httpx2.Client, token: str, origin: str) -> None:
    """Not even with a token: the script of a page must not be able to use a stolen one."""
    for method, path in ALLOWED:
        refused = ask(server, method, path, extension(token, origin))
        problem(refused, 403, "foreign_origin")
        preflight = server.options(path, headers={"Origin": origin, "Access-Control-Request-Method": method})
        assert "access-control-allow-origin" not in preflight.headers | refused.headers


def test_two_origins(server: httpx2.Client, token: str) -> None:
    headers = [("Origin", CHROME), ("Origin", CHROME), ("Authorization", f"Bearer {token}")]
    problem(server.post("/api/captures", json=BODY, headers=headers), 403, "foreign_origin")


def test_the_token_says_whose_library_it_is(client: httpx2.Client, token: str) -> None:
    """A header is not enough: any extension could send it."""
    me = client.get("/api/me", headers=extension(token) | {"X-User-Id": str(BOB)}).json()
    assert (me["user_id"], me["operator"]) == (str(ALICE), False)


def test_its_token_is_for_saving_only(token_client: httpx2.Client, token: str) -> None:
    """A stolen token allows no more without an extension than with one."""
    plain = {"Authorization": f"Bearer {token}"}
    for method, path in ALLOWED[:-1]:
        response = ask(token_client, method, path, plain)
        assert response.status_code in ({404} if path == ITEM else {200, 201, 204}), response.text
    others = [each for each in NOT_ALLOWED if each[1] not in ("/", "/highlights", "/api/captures", "/api/captures/")]
    for method, path in [*others, ("GET", "/api/events"), ("GET", "/api/exports"), ("POST", "/api/pairings")]:
        if path != "/api/session":
            problem(ask(token_client, method, path, plain), 403, "paired_token")
    problem(token_client.post("/api/session", json={"token": token}), 403, "paired_token")


def test_a_cookie_counts_for_nothing(token_client: httpx2.Client, token: str, database: Database) -> None:
    with database.transaction() as session:
        bobs = create_token(session, BOB, operator=False, label="")
    signed_in = token_client.post("/api/session", json={"token": bobs.secret})
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    token_client.cookies.clear()
    assert token_client.get("/api/me", headers={"Cookie": cookie}).json()["user_id"] == str(BOB)
    problem(ask(token_client, "GET", "/api/me", extension(None), cookie), 403, "foreign_origin")
    assert ask(token_client, "GET", "/api/me", extension(token), cookie).json()["user_id"] == str(ALICE)


def test_preflights(server: httpx2.Client) -> None:
    needed = {"authorization", "content-encoding", "content-type", "idempotency-key"}
    asked = {
        "Origin": FIREFOX,
        "Access-Control-Request-Headers": "authorization,content-type",
        "Access-Control-Request-Private-Network": "true",
    }
    for method, path in [*ALLOWED, ("POST", "/api/pairings/exchange")]:
        headers = CROSS_SITE | asked | {"Access-Control-Request-Method": method}
        response = server.options(path.partition("?")[0], headers=headers)
        assert (response.status_code, response.content) == (204, b"")
        assert response.headers["access-control-allow-origin"] == FIREFOX
        assert response.headers["access-control-allow-methods"] == method
        assert needed <= set(response.headers["access-control-allow-headers"].split(", "))
        assert response.headers["access-control-allow-private-network"] == "true"
        assert "access-control-allow-credentials" not in response.headers


def test_errors_can_be_read(server: httpx2.Client, token: str) -> None:
    empty = server.post("/api/captures", json={"url": PAGE, "html": "<p>"}, headers=extension(token))
    problem(empty, 422, "empty_capture")
    assert empty.headers["access-control-allow-origin"] == CHROME
    large = server.post("/items", content=b"x" * 5_000_000, headers=extension(token))
    problem(large, 413, "body_too_large")
    assert large.headers["access-control-allow-origin"] == CHROME


def test_a_host_that_is_not_ours(server: httpx2.Client, token: str) -> None:
    problem(server.get("/api/tags", headers=extension(token) | {"Host": "evil.example"}), 400, "foreign_host")
