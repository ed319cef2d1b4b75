"""Parse, one service call, serialise."""
