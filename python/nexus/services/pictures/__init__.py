"""The pictures of what a user can read, fetched by the server, so that their sites do not learn who reads what.

Imports nothing: the process that decodes pictures imports this package and must start within seconds.
"""
