"""Transcribes audio where the publisher has no transcript."""
