"""The API's description of itself, true for the way this server tells who is asking."""

from typing import Any

from fastapi import FastAPI


def describe_truly(app: FastAPI, auth: str) -> None:
    """In dev mode nobody needs a token, so the description must not ask for one."""
    if auth == "token":
        return
    generate = app.openapi

    def without_security() -> dict[str, Any]:
        description = generate()
        description.get("components", {}).pop("securitySchemes", None)
        for operations in description["paths"].values():
            for operation in operations.values():
                operation.pop("security", None)
        return description

    app.openapi = without_security  # type: ignore[method-assign] # the way FastAPI documents
