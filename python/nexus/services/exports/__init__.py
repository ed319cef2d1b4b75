"""Exports as rows: requested, claimed by a worker, written, kept for some days.

Imports nothing: see services/downloads/__init__.py.
"""
