"""Transcripts made from audio, where the publisher has none."""
