"""PostgreSQL: the embedded server, the session that commits, the tables and their migrations."""
