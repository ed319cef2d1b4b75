"""Rules that keep what belongs to kept text although the model does not recognise it."""
