"""How jobs are run here, from the settings."""

from nexus.config import Settings, pipeline_environment, python_environment, secret_values
from nexus.operator.jobs.launch import JobSettings


def job_settings_from(settings: Settings) -> JobSettings:
    # --data-dir may have named it, and the pipeline opens the same library.
    environment = pipeline_environment() | {"NEXUS_DATA_DIR": str(settings.data_dir.expanduser().absolute())}
    # So may --output-dir and --config-file; compose files and the process that starts the next job read the variables.
    for name in ("output_dir", "operator_config_file"):
        if given := getattr(settings, name):
            environment[Settings.variable(name)] = str(given.expanduser().resolve())
    return JobSettings(
        max_running=settings.max_pipeline_jobs,
        stale_seconds=settings.job_stale_seconds,
        cancel_grace_seconds=settings.job_cancel_grace_seconds,
        log_max_bytes=settings.job_log_max_bytes,
        environment=environment,
        runner_environment=python_environment(),
        secrets=secret_values(environment),
    )
