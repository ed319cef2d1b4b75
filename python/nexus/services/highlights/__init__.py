"""Passages of texts that a user marked: made, changed, found again in later versions, listed, reviewed, exported."""
