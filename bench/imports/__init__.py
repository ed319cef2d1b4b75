"""Benchmarks of imports."""
