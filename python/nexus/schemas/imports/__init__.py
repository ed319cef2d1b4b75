"""Wire types of imports."""
