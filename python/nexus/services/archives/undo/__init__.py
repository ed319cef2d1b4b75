"""Undoes the restore of an archive."""
