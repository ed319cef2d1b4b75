"""Transcripts in every format publishers use, as one list of segments."""
