"""Wire types: what requests and answers look like."""
