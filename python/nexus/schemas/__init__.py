"""Wire types: the bodies of requests and responses."""
