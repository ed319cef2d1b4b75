"""Celery tasks, each of them an adapter. Imported by name, never discovered."""

from nexus.tasks.ingest_web_article import ingest_web_article

__all__ = ["ingest_web_article"]
