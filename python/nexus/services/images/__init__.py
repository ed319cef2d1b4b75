"""The pictures of what a user can read, fetched for them: their sites never learn who reads what."""

from nexus.services.images.proxy import ImageProxy
from nexus.services.images.shown import require_shown

__all__ = ["ImageProxy", "require_shown"]
