"""Rows of an import become library entries, and can be taken back."""
