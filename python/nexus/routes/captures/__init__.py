"""Saving pages from a browser, and pairing its extension."""

from nexus.routes.captures import captures, pairings

ROUTES = (captures, pairings)
