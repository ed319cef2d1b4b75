"""The API describes itself completely, and the copy in the docs is the same."""

import json
from pathlib import Path

import httpx2
import pytest

from nexus.app import create_app
from nexus.db.session import Database
from nexus.http.openapi import full_description
from tests.conftest import everything_on

ROOT = Path(__file__).parents[3]


def test_docs_hold_the_description_of_this_very_code(database: Database) -> None:
    kept = json.loads((ROOT / "docs/reference/openapi.json").read_text())
    assert kept == full_description(create_app(everything_on(), database)), "run 'make docs'"


def test_every_operation_documents_its_errors_in_the_one_shape(database: Database) -> None:
    described = full_description(create_app(everything_on(), database))
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            errors = {status: r for status, r in operation["responses"].items() if status >= "400"}
            assert {"400", "500"} <= set(errors), f"{method} {path}"
            for response in errors.values():
                assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
            if method not in {"get"}:
                assert {"403", "413"} <= set(errors), f"{method} {path}"


def test_changes_have_no_defaults(database: Database) -> None:
    """Only what is given is changed: a client that fills in defaults would change the rest as well."""
    described = full_description(create_app(everything_on(), database))
    bodies = [
        operations["patch"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for operations in described["paths"].values()
        if "patch" in operations
    ]
    assert {"EntryChanges", "TagChanges", "SavedSearchChanges"} <= set(bodies)
    schemas = described["components"]["schemas"]
    told = [
        (name, field)
        for name in (*bodies, "State")
        for field, schema in schemas[name]["properties"].items()
        if "default" in schema
    ]
    assert told == []
    assert "default" not in schemas["BulkChanges"]["properties"]["set"]


@pytest.mark.parametrize("mode", ["dev", "token"])
def test_running_server_describes_its_own_mode(client: httpx2.Client, token_client: httpx2.Client, mode: str) -> None:
    described = (client if mode == "dev" else token_client).get("/api/openapi.json").json()
    operation = described["paths"]["/api/me"]["get"]
    assert ("security" in operation) == (mode == "token")
    assert [p["name"] for p in operation["parameters"]] == (["x-user-id"] if mode == "dev" else [])
