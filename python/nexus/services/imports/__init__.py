"""Imports: exports of other programs on their way into a library."""
