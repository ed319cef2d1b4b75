"""Files from the store, sent in pieces and in ranges."""
