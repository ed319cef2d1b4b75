"""Pure functions on text and HTML: bytes or text in, text out. The process pool runs them on hostile input."""
