"""The app for uvicorn and gunicorn: ``uvicorn apps.api.main:app``."""

from nexus.app import create_app
from nexus.config import get_settings
from nexus.db.session import Database
from nexus.http.viewer import viewer_files
from nexus.logging import configure_logging

settings = get_settings()
configure_logging(settings.log_level, settings.log_format)
app = create_app(settings, Database(settings), viewer=viewer_files())
