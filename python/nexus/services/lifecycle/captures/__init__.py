"""Pages as users saw them in their browsers: readable at once, private, and never fetched."""

from nexus.services.lifecycle.captures.capture_writer import CapturedText, WrittenCapture, write_capture

__all__ = ["CapturedText", "WrittenCapture", "write_capture"]
