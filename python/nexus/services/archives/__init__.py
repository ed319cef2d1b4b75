"""Archives: one user's library as a ZIP of JSON lines and blobs, and the way back. See docs/reference/archive.md."""
