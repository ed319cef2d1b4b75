"""Asking hosts: with retries, at their pace, and not at all while they are down."""
