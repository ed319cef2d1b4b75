"""celery -A apps.worker.main:celery_app worker -Q ingest --concurrency=N"""

from nexus.celery import celery_app
from nexus.tasks import ingest_web_article  # naming the task registers it

__all__ = ["celery_app", "ingest_web_article"]
