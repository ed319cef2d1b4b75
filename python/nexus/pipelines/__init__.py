"""The pipelines: what happens to a link or an episode, from top to bottom."""
