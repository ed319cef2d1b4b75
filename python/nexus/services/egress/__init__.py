"""The only code that opens connections to the outside; every page, image, feed and download goes through it."""

from nexus.services.egress.answer import Fetched, Headers, Hop, Response
from nexus.services.egress.client import Egress
from nexus.services.egress.limits import Limits

__all__ = ["Egress", "Fetched", "Headers", "Hop", "Limits", "Response"]
