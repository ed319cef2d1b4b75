"""The search index of a library: what it holds, how a query is read, how hits are ranked. It does not use the
database."""
