"""Wire types of highlights."""
