"""Exports as rows: asked for, claimed by a worker, written, kept for some days. Imports nothing."""
