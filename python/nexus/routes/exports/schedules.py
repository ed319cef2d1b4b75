"""Schedules of exports."""

from uuid import UUID

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
from nexus.services.exports import schedules as service

router = api_router("/api/export-schedules", tag="exports")


@router.get("", summary="List Export Schedules", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep) -> ExportSchedules:
    """The user's export schedules, oldest first."""
    found = service.list_schedules(session, user)
    return ExportSchedules(schedules=[_to_wire(each) for each in found])


@router.post("", status_code=201, responses=problems(400, 401, 403, 409, 413, 422, 503))
def create(body: NewExportSchedule, session: SessionDep, user: UserDep, settings: SettingsDep) -> ExportSchedule:
    """Create a schedule: from now on a worker exports what it names, every day, week or month."""
    return _to_wire(service.create_schedule(session, user, dict(body), settings.export_dir))


@router.patch("/{schedule_id:uuid}", responses=problems(400, 401, 403, 404, 409, 413, 422, 503))
def change(
    schedule_id: UUID, body: ExportScheduleChanges, session: SessionDep, user: UserDep, settings: SettingsDep
) -> ExportSchedule:
    """Change a schedule; fields that are not given stay as they are."""
    given = {name: getattr(body, name) for name in body.model_fields_set}
    return _to_wire(service.change_schedule(session, user, schedule_id, given, settings.export_dir))


@router.delete("/{schedule_id:uuid}", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def delete(schedule_id: UUID, session: SessionDep, user: UserDep, settings: SettingsDep) -> None:
    """Delete a schedule. Its files stay: in the store as long as other exports, in the folder until removed."""
    service.delete_schedule(session, user, schedule_id, keep_seconds=settings.export_keep_days * 86_400)


def _to_wire(found: service.ScheduleDetails) -> ExportSchedule:
    return ExportSchedule.model_validate(vars(found))
