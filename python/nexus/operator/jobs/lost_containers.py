"""The containers of jobs that were lost with their runner: removed before the job is settled."""

import shutil
import subprocess
from collections.abc import Iterable, Mapping

from nexus.logging import get_logger
from nexus.operator.jobs.command import container_removal
from nexus.operator.jobs.processes import run_cleanup
from nexus.operator.jobs.records import Job, JobId

log = get_logger(__name__)


def remove_lost_containers(jobs: Iterable[Job], environment: Mapping[str, str]) -> set[JobId]:
    """The jobs that may be settled: their container is gone, or they were cancelled. By that a user can give up a job
    if its container can never be removed."""
    to_settle: set[JobId] = set()
    timeout: subprocess.TimeoutExpired | None = None
    for job in jobs:
        failure = timeout or _remove_container(job, environment)
        if isinstance(failure, subprocess.TimeoutExpired):
            timeout = failure  # the others would wait for the same docker, a minute each
        if failure is not None:
            next_step = "its job was cancelled" if job.cancel_requested else "trying again"
            message = f"the container of a lost job cannot be removed; {next_step}"
            log.warning(message, job_id=job.job_id, reason=str(failure))
        if failure is None or job.cancel_requested:
            to_settle.add(job.job_id)
    return to_settle


def _remove_container(job: Job, environment: Mapping[str, str]) -> OSError | subprocess.SubprocessError | None:
    """Why it may still run; None also without docker, because waiting for that would block the queue forever."""
    removal = container_removal(job.job_id)
    if shutil.which(removal[0], path=environment.get("PATH")) is None:
        log.warning("there is no docker command: the container of a lost job may still run", job_id=job.job_id)
        return None
    try:
        run_cleanup(removal, environment)
    except (OSError, subprocess.SubprocessError) as error:
        return error
    return None
