"""Celery's side: each task is an adapter and nothing more. Imported by name, never discovered."""

from nexus.tasks.ingest_web_article import ingest_web_article

__all__ = ["ingest_web_article"]
