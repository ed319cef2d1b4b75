"""Responses that take longer than their request: streams, and files that are built first."""
