from typing import Literal

from pydantic import BaseModel, Field


class Health(BaseModel):
    status: Literal["ok"] = "ok"


class Ready(BaseModel):
    status: Literal["ready"] = "ready"
    schema_revision: str = Field(description="The newest migration, which the database has.")
    worker: Literal["running", "restarting", "elsewhere"] = Field(
        description="The worker this server runs beside itself; elsewhere: none is its own (--no-worker)."
    )


class ApiHealth(BaseModel):
    """What this server can do; a group that is off returns 404."""

    status: Literal["ok"] = "ok"
    version: str
    feeds_api: bool
    operator_config_api: bool
    jobs_api: bool
    search_api: bool
    render: bool = Field(description="Pages that need a browser can be rendered.")
    render_sandbox: bool | None = Field(
        description="The browser runs in its sandbox, wherever pages are rendered; null until a worker has tried it."
    )
