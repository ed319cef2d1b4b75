"""Extracts the main text of a page: decoding, parsing, features, the block model, selection, article HTML."""
