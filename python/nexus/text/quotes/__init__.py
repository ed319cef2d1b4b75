"""Quotes of a text: where they are, and where the same words are in another reading of it."""
