"""Exports that are tables (CSV)."""
