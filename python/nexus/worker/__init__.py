"""The process that does the work behind the server: claim, run the pipeline, close, sweep."""

from nexus.worker.loop import Worker

__all__ = ["Worker"]
