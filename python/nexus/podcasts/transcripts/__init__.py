"""Parses transcripts of every format publishers use into one list of segments."""
