"""The files in which originals are kept."""
