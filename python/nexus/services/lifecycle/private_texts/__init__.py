"""Texts that only one user has: pasted, short ones that were kept, or from an import."""
