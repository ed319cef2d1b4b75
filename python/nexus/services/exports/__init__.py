"""Exports: files that workers make of a library. Imports nothing: see services/downloads/__init__.py."""
