"""The files a run writes."""
