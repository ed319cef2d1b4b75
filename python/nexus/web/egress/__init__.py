"""The only code that opens outgoing connections; every page, picture, feed and download goes through it."""

from nexus.web.egress.client import Egress
from nexus.web.egress.limits import Limits
from nexus.web.egress.response import FetchedResponse, Hop, Response

__all__ = ["Egress", "FetchedResponse", "Hop", "Limits", "Response"]
