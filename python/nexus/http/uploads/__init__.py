"""Uploads: bodies that are too large to be kept in memory, read by their route as they arrive."""

MAX_FILES = 5_000  # of one upload
