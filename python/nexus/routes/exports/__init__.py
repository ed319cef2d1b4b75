"""Exports of a library, and their schedules."""

from nexus.routes.exports import exports

ROUTES = (exports,)
