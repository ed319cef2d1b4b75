"""A user's library: its entries, what was read, figures."""
