"""The formats of exports. Imports nothing: see services/exports/__init__.py."""
