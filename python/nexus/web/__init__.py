"""Outgoing requests: egress, fetching pages, rendering in a browser, and URLs."""
