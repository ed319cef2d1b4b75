"""Scheduled runs."""

from nexus.http.corpus import OperatorServiceDep
from nexus.operator.jobs.schedules import DEFAULT_TIMEZONE
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.jobs import ScheduleEntry, ScheduleList

router = api_router("/api", tag="jobs")


@router.get("/scheduled-jobs", responses=problems(401, 403, 409, 422, 503))
def list_scheduled_jobs(operator: OperatorServiceDep) -> ScheduleList:
    """What `scheduled_jobs` of the operator's file says, and when each runs next."""
    entries = [ScheduleEntry.model_validate(each) for each in operator.list_schedules()]
    return ScheduleList(
        path=str(operator.root),
        scheduled_jobs=entries,
        jobs=entries,
        timezone=DEFAULT_TIMEZONE,
        scheduler_running=operator.has_sweeper,
    )
