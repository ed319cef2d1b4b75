"""Pure functions: bytes or text in, text out. The process pool beside them runs them on hostile input."""
