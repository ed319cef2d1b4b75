"""Putting a library in order. Included before the library routes."""

from nexus.routes.organise import bulk, saved_searches, tags

ROUTES = (bulk, tags, saved_searches)
