"""The formats of exports. Imports nothing: see services/downloads/__init__.py."""
