"""Which pictures of a page belong to its text, and their captions."""
