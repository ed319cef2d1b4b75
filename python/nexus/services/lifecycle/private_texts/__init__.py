"""Texts of one user alone: pasted, kept although they are short, or from an import."""
