"""The pictures of what a user can read, fetched for them: their sites never learn who reads what.

Imports nothing: the process that decodes a picture comes through here and has seconds, not the whole server, to load.
"""
