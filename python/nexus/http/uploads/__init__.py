"""Uploads: bodies that are too large to be kept in memory, read by their route as they arrive."""
