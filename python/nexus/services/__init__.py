"""Nouns own state; verbs own one transformation."""
