"""Kept for scripts that know the worker as ``python -m app.worker``."""
