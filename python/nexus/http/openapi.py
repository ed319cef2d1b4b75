"""The OpenAPI description, adapted to the server's authentication mode."""

from copy import deepcopy
from typing import Any

from fastapi import FastAPI


def describe_api(app: FastAPI, auth: str) -> None:
    """Dev mode needs no token; token mode ignores X-User-Id."""
    generate = app.openapi

    def description() -> dict[str, Any]:
        described = deepcopy(generate())
        if auth == "dev":
            described.get("components", {}).pop("securitySchemes", None)
        for operations in described["paths"].values():
            for operation in operations.values():
                if auth == "dev":
                    operation.pop("security", None)
                elif "parameters" in operation:
                    operation["parameters"] = [p for p in operation["parameters"] if p["name"] != "x-user-id"]
        return described

    app.openapi = description  # type: ignore[method-assign] # FastAPI's documented way


def full_description(app: FastAPI) -> dict[str, Any]:
    """Both modes at once, as in docs/reference/openapi.json."""
    return FastAPI.openapi(app)
