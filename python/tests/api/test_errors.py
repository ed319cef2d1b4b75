"""Every error has the same shape, whatever goes wrong and wherever it is detected."""

import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import text

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from tests.conftest import serving, settings_for

HUNDRED_MEGABYTES = 100_000_000


def problem(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """Checks the shape of an error and returns its detail."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert set(body) == {"detail"}
    detail: dict[str, Any] = body["detail"]
    assert detail["error"] == code
    assert len(detail["message"]) > 20
    assert detail["request_id"] == response.headers["x-request-id"]
    return detail


def test_unknown_path(client: httpx2.Client) -> None:
    problem(client.get("/nowhere"), 404, "not_found")


def test_wrong_method_names_the_right_ones(client: httpx2.Client) -> None:
    response = client.put("/api/session")
    problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "DELETE, POST"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example", "[::1", "a b"]
)
def test_foreign_host(client: httpx2.Client, host: str) -> None:
    problem(client.get("/health", headers={"Host": host}), 400, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "localhost."])
def test_loopback_names_are_ours(client: httpx2.Client, host: str) -> None:
    assert client.get("/health", headers={"Host": host}).status_code == 200


def test_listed_host_is_ours(token_client: httpx2.Client) -> None:
    assert token_client.get("/health", headers={"Host": "Nexus.Example"}).status_code == 200
    problem(token_client.get("/health", headers={"Host": "other.example"}), 400, "foreign_host")


@pytest.mark.parametrize("chunked", [False, True])
def test_hundred_megabytes(client: httpx2.Client, *, chunked: bool) -> None:
    piece = b"x" * 1_000_000
    body = (piece for _ in range(HUNDRED_MEGABYTES // len(piece)))
    headers = {} if chunked else {"Content-Length": str(HUNDRED_MEGABYTES)}
    problem(client.post("/api/session", content=body, headers=headers), 413, "body_too_large")
    assert client.get("/health").status_code == 200


def test_broken_json(client: httpx2.Client) -> None:
    response = client.post("/api/session", content='{"token": ', headers={"Content-Type": "application/json"})
    problem(response, 422, "invalid_json")


def test_wrong_fields_are_named_and_never_repeated(client: httpx2.Client) -> None:
    response = client.post("/api/session", json={"token": {"secret": "hunter2"}})
    detail = problem(response, 422, "invalid_request")
    assert detail["fields"][0]["where"] == "body.token"
    assert "hunter2" not in response.text


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_json_under_another_name_is_refused(client: httpx2.Client, kind: str) -> None:
    """A body that a form on another site could send without a preflight."""
    response = client.post("/api/session", content=json.dumps({"token": "x"}), headers={"Content-Type": kind})
    problem(response, 422, "invalid_request")


def test_sane_request_id_is_kept_and_others_are_replaced(client: httpx2.Client) -> None:
    assert client.get("/health", headers={"X-Request-Id": "my-request_0.1"}).headers["x-request-id"] == "my-request_0.1"
    for insane in ("short", "x" * 65, "with space", "a;b=cccccccccc"):
        made = client.get("/health", headers={"X-Request-Id": insane}).headers["x-request-id"]
        assert made != insane
        assert len(made) == 32


def test_every_answer_says_when_it_began(client: httpx2.Client) -> None:
    for path in ("/health", "/nowhere"):
        before = datetime.now(UTC) - timedelta(milliseconds=1)
        told = datetime.fromisoformat(client.get(path).headers["x-server-time"])
        assert before <= told <= datetime.now(UTC)


def test_every_answer_carries_the_safe_headers(client: httpx2.Client) -> None:
    for response in (client.get("/health"), client.get("/nowhere"), client.get("/health", headers={"Host": "evil"})):
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cache-control"] == "no-store"


def test_unexpected_error_keeps_its_traceback_to_itself(
    postgres: EmbeddedServer, database: Database, database_name: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(settings_for(postgres, database_name), database)
    diary = uuid4().hex

    @app.get("/broken")
    def broken() -> None:
        with database.transaction() as session:
            session.execute(text("INSERT INTO libraries (owner_user_id, name) VALUES (NULL, :n)"), {"n": diary})

    with caplog.at_level(logging.ERROR), serving(app) as url:
        response = httpx2.get(url + "/broken", timeout=60)
    assert "Traceback" in caplog.text
    assert diary not in caplog.text
    problem(response, 500, "internal_error")
    assert "libraries" not in response.text
    assert "Traceback" not in response.text
