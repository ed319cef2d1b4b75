"""The worker: claims items, runs the pipeline, writes the results, sweeps."""

from nexus.worker.loop import Worker

__all__ = ["Worker"]
