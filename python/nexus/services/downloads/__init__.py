"""Downloads: one text or many as a single HTML file or as an EPUB 3 book, with the pictures that are kept.

Imports nothing: the process that builds markup and decodes pictures imports this package and must start within seconds.
"""
