"""Who may use the operator's routes, and where they are at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.errors import ConfigError
from nexus.operator.service import Operator
from nexus.services.tokens import create_token
from tests.conftest import everything_on, serving, settings_for
from tests.processes import TRUSTS_NOBODY

GROUPS = {
    "feeds_api": ["/api/feeds"],
    "operator_config_api": ["/api/operator-config"],
    "jobs_api": ["/api/jobs", f"/api/jobs/{uuid4()}/log", "/api/scheduled-jobs"],
}
READABLE = ["/api/feeds", "/api/operator-config", "/api/jobs", "/api/scheduled-jobs"]


@pytest.fixture
def client_of(tmp_path: Path, postgres: EmbeddedServer, database: Database, database_name: str) -> object:
    @contextmanager
    def opened(**values: object) -> Iterator[httpx2.Client]:
        settings = settings_for(postgres, database_name, output_dir=tmp_path, **values)
        with (
            serving(create_app(settings, database)) as url,
            httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as http,
        ):
            yield http

    return opened


@pytest.mark.parametrize("on", [None, *GROUPS])
def test_a_group_of_routes_exists_only_when_enabled(client_of, on: str | None) -> None:  # type: ignore[no-untyped-def]
    with client_of(**({on: True} if on else {})) as http:
        health = http.get("/api/health").json()
        for group, paths in GROUPS.items():
            assert health[group] is (group == on)
            described = http.get("/api/openapi.json").json()["paths"]
            assert (paths[0] in described) is (group == on)
            if group != on:
                assert {http.get(path).status_code for path in paths} == {404}
            else:
                assert http.get(paths[0]).status_code == 200
        assert "jobs" not in health  # capabilities only, never what they hold


def test_tokens_need_operator_rights(client_of, database: Database) -> None:  # type: ignore[no-untyped-def]
    with database.transaction() as session:
        reader = create_token(session, uuid4(), operator=False, label="").secret
        operator = create_token(session, uuid4(), operator=True, label="").secret
    with client_of(auth="token", feeds_api=True, operator_config_api=True, jobs_api=True) as http:
        for path in READABLE:
            assert http.get(path).status_code == 401
            refused = http.get(path, headers={"Authorization": f"Bearer {reader}"})
            assert (refused.status_code, refused.json()["detail"]["error"]) == (403, "operator_required")
            assert http.get(path, headers={"Authorization": f"Bearer {operator}"}).status_code == 200
        as_reader = {"Authorization": f"Bearer {reader}"}
        assert http.post("/api/jobs", headers=as_reader).status_code == 403
        assert http.put("/api/feeds", json={"feeds": []}, headers=as_reader).status_code == 403
        assert http.post("/api/jobs/pause", headers=as_reader).status_code == 403
        assert http.get(f"/api/jobs/{uuid4()}/events", headers=as_reader).status_code == 403


def test_pages_of_other_sites_cannot_start_jobs(client_of, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with client_of(jobs_api=True) as http:
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert http.post("/api/jobs", headers=headers).status_code == 403
    assert not (tmp_path / ".viewer").exists()


def test_operator_path_is_resolved_at_the_start(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    assert Operator(everything_on(output_dir=corpus)).config.path == corpus / "viewer_operator.yaml"
    named = tmp_path / "elsewhere" / ".." / "mine.yaml"
    assert Operator(everything_on(output_dir=corpus, operator_config_file=named)).config.path == tmp_path / "mine.yaml"


def test_groups_need_a_corpus(database: Database, tmp_path: Path) -> None:
    for output_dir in (None, tmp_path / "missing"):
        with pytest.raises(ConfigError, match="--output-dir"):
            create_app(everything_on().model_copy(update={"output_dir": output_dir}), database)
