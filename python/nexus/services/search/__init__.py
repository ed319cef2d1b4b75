"""Keeps the search indexes of this machine, and searches them."""
