"""A run: over all feeds, over one feed, over one episode, and what each of them reports."""
