"""Exports as JSON: read entry by entry, whatever their size."""
