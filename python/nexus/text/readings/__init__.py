"""Compares readings of one page: which of them is to be shown."""
