"""Nouns own state, verbs own one transformation; the pure verbs import nothing of ours but nexus.errors."""
