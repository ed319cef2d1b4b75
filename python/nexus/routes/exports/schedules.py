"""Schedules of exports."""

from uuid import UUID

from nexus.db.models import ExportSchedule as Row
from nexus.http.dependencies import SessionDep, SettingsDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.exports.schedules import (
    ExportSchedule,
    ExportScheduleChanges,
    ExportSchedules,
    NewExportSchedule,
)
from nexus.services.exports.jobs import schedules as service

router = api_router("/api/export-schedules", tag="exports")

FIELDS = ("id", "format", "query", "every", "keep", "destination", "next_at", "last_error", "created_at")


@router.get("", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep) -> ExportSchedules:
    """The user's export schedules, oldest first."""
    found = service.list_schedules(session, user)
    last = service.last_exports(session, found)
    return ExportSchedules(schedules=[_to_wire(row, last.get(row.id)) for row in found])


@router.post("", status_code=201, responses=problems(400, 401, 403, 409, 413, 422, 503))
def create(body: NewExportSchedule, session: SessionDep, user: UserDep, settings: SettingsDep) -> ExportSchedule:
    """Create a schedule: from now on a worker exports what it names, every day, week or month."""
    made = service.create_schedule(session, user, dict(body), settings.export_dir)
    return _to_wire(made, None)


@router.patch("/{schedule_id:uuid}", responses=problems(400, 401, 403, 404, 409, 413, 422, 503))
def change(
    schedule_id: UUID, body: ExportScheduleChanges, session: SessionDep, user: UserDep, settings: SettingsDep
) -> ExportSchedule:
    """Change a schedule; fields that are not given stay as they are."""
    given = {name: getattr(body, name) for name in body.model_fields_set}
    changed = service.change_schedule(session, user, schedule_id, given, settings.export_dir)
    return _to_wire(changed, service.last_exports(session, [changed]).get(changed.id))


@router.delete("/{schedule_id:uuid}", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def delete(schedule_id: UUID, session: SessionDep, user: UserDep, settings: SettingsDep) -> None:
    """Delete a schedule. Its files stay: in the store as long as other exports, in the folder until removed."""
    service.delete_schedule(session, user, schedule_id, keep_seconds=settings.export_keep_days * 86_400)


def _to_wire(row: Row, last_export_id: UUID | None) -> ExportSchedule:
    facts = {name: getattr(row, name) for name in FIELDS}
    return ExportSchedule.model_validate(facts | {"last_export_id": last_export_id})
