"""The stories: each reads from top to bottom like what happens to a save."""
