"""How the supervisor of the embedded server is recognised. A module of its own, because job runners need it and import
little."""

SUPERVISOR_LOCK = "postgres.keeper.lock"  # in the data directory
SUPERVISOR_MODULE = "nexus.db.supervisor"
