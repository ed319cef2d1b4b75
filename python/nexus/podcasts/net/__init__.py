"""Requests to hosts: with retries, rate limits and a circuit breaker."""
