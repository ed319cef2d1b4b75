"""Originals: what each version of a text was read from, kept so that it can be read again without its site."""
