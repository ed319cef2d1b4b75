"""Files from the store, sent in chunks and in ranges."""
