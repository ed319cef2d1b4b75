from importlib.metadata import version

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import head_revision
from nexus.db.session import Database
from nexus.http import metrics
from nexus.services.pictures import queue
from tests.conftest import running_app, settings_for


def test_health_says_the_process_is_up(client: httpx2.Client) -> None:
    response = client.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_ready_when_database_and_schema_answer(client: httpx2.Client) -> None:
    response = client.get("/ready")
    assert response.status_code == 200
    assert response.json() == {"status": "ready", "schema_revision": head_revision(), "worker": "elsewhere"}


def test_not_ready_without_the_schema(postgres: EmbeddedServer, empty_database: str) -> None:
    settings = settings_for(postgres, empty_database)
    with Database(settings) as database, running_app(settings, database) as url:
        response = httpx2.get(url + "/ready", timeout=60)
        assert response.status_code == 503
        assert response.json()["detail"]["error"] == "schema_outdated"
        assert "nexus db upgrade" in response.json()["detail"]["message"]
        assert httpx2.get(url + "/health", timeout=60).status_code == 200


@pytest.fixture
def server_without_database(postgres: EmbeddedServer) -> Database:
    return Database(settings_for(postgres, "no_such_database"))


def test_database_away_is_503_and_never_500(server_without_database: Database, postgres: EmbeddedServer) -> None:
    settings = settings_for(postgres, "no_such_database")
    with server_without_database as database, running_app(settings, database) as url:
        for path in ("/ready", "/api/me"):
            response = httpx2.get(url + path, timeout=60)
            assert response.status_code == 503
            assert response.json()["detail"]["error"] == "database_unavailable"
            assert response.headers["retry-after"] == "5"
        assert httpx2.get(url + "/health", timeout=60).status_code == 200
        assert "nexus_database_up 0.0" in httpx2.get(url + "/metrics", timeout=60).text


def test_api_health_tells_what_this_server_can_do(client: httpx2.Client) -> None:
    assert client.get("/api/health").json() == {
        "status": "ok",
        "version": version("nexus"),
        "feeds_api": False,
        "operator_config_api": False,
        "jobs_api": False,
        "search_api": True,
        "render": False,
        "render_sandbox": None,
    }


def test_metrics_are_prometheus_and_count_by_route(client: httpx2.Client) -> None:
    client.get("/health")
    client.get("/no/such/path")
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }
    assert samples[("nexus_database_up", ())] == 1
    assert samples[("nexus_items_queued", ())] == 0
    assert samples[("nexus_http_requests_total", (("method", "GET"), ("route", "/health"), ("status", "200")))] >= 1
    assert "/no/such/path" not in response.text


def test_pictures_that_take_too_long_to_count_do_not_hide_the_queue(
    postgres: EmbeddedServer, database_name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """PostgreSQL really times out. It is logged once a minute, not for each request."""
    monkeypatch.setattr(metrics, "PICTURE_TIMEOUT_MS", 50)
    monkeypatch.setattr(queue, "COUNTS", text("SELECT 'kept' AS state, 1 AS number FROM pg_sleep(3600)"))
    with Database(settings_for(postgres, database_name)) as database:
        collector = metrics.QueueCollector(database.engine, lambda: "running")
        for _ in range(2):
            found = {metric.name: [sample.value for sample in metric.samples] for metric in collector.collect()}
            assert (found["nexus_database_up"], found["nexus_items_queued"]) == ([1], [0])
            assert found["nexus_pictures"] == []
    assert caplog.text.count("pictures are not counted") == 1
