"""Exports as HTML and XML: tokens in a stream, never a tree."""
