"""Applies the rows of an import to a library, and undoes them."""
