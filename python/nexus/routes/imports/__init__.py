"""Imports: exports of other programs are uploaded, looked at, applied, and taken back."""

from nexus.routes.imports import imports, uploads

ROUTES = (uploads, imports)
