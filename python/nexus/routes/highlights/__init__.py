"""Highlights. Those with a name of their own come before those with an id."""

from nexus.routes.highlights import files, highlights, library

ROUTES = (files, library, highlights)
