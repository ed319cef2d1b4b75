"""Podcasts: feeds become time-coded transcripts, on disk and in the library."""
