"""The names by which the supervisor of the embedded server is recognised. They are not in supervisor.py, because job
runners use them and should not import the rest of it."""

SUPERVISOR_LOCK = "postgres.keeper.lock"  # in the data directory
SUPERVISOR_MODULE = "nexus.db.supervisor"
