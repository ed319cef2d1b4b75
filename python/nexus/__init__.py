"""Nexus: what you save becomes clean, permanent, quotable text."""
