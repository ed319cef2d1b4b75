"""The app for uvicorn and gunicorn: ``uvicorn --http apps.api.main:HttpProtocol apps.api.main:app``."""

from nexus.app import create_app
from nexus.config import get_settings
from nexus.db.session import Database
from nexus.http.connections import limits_from
from nexus.http.protocol import bounded_protocol
from nexus.http.static_files import viewer_files
from nexus.logging import configure_logging

settings = get_settings()
configure_logging(settings.log_level, settings.log_format)
HttpProtocol = bounded_protocol(limits_from(settings))  # the bounds on connections that `nexus serve` has
app = create_app(settings, Database(settings), viewer=viewer_files())
