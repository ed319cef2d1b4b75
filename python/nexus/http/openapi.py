"""The API's description of itself, true for the way this server tells who is asking."""

from copy import deepcopy
from typing import Any

from fastapi import FastAPI


def describe_truly(app: FastAPI, auth: str) -> None:
    """In dev mode nobody needs a token; in token mode nobody looks at X-User-Id."""
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

    app.openapi = description  # type: ignore[method-assign] # the way FastAPI documents


def whole_description(app: FastAPI) -> dict[str, Any]:
    """Both modes at once: what docs/reference/openapi.json holds."""
    return FastAPI.openapi(app)
