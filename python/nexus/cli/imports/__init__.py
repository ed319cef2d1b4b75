"""``nexus import``: bring the exports of other programs into one's library, through the server."""

from nexus.cli.imports.command import register

__all__ = ["register"]
