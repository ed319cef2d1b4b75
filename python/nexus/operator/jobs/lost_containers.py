"""The containers of jobs that were lost with their runner: removed before the job is settled."""

import shutil
import subprocess
from collections.abc import Mapping

from nexus.logging import get_logger
from nexus.operator.jobs.command import container_removal
from nexus.operator.jobs.processes import run_cleanup
from nexus.operator.jobs.records import Job

log = get_logger(__name__)


def remove_lost_container(job: Job, environment: Mapping[str, str]) -> bool:
    """Whether the job may be settled: its container is gone, or waiting for that would block the queue forever."""
    removal = container_removal(job.job_id)
    if shutil.which(removal[0], path=environment.get("PATH")) is None:
        log.warning("there is no docker command: the container of a lost job may still run", job_id=job.job_id)
        return True
    try:
        run_cleanup(removal, environment)
    except (OSError, subprocess.SubprocessError) as error:
        gives_up = job.cancel_requested  # so that the user can give up a job if docker never responds again
        next_step = "its job was cancelled" if gives_up else "trying again"
        message = f"the container of a lost job cannot be removed; {next_step}"
        log.warning(message, job_id=job.job_id, reason=str(error))
        return gives_up
    return True
