"""Wire types of exports."""
