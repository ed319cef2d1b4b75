"""Exports of a library, and their schedules."""

from nexus.routes.exports import exports, schedules

ROUTES = (exports, schedules)
