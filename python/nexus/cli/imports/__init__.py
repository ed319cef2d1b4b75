"""``nexus import``: import the exports of other programs into a library, through the server."""

from nexus.cli.imports.command import register

__all__ = ["register"]
