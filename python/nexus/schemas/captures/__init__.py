"""Wire types of pages saved from a browser, and of pairing that browser."""
