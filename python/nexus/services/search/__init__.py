"""Finding what one saved: the words of every text, questions about them, and what an answer shows."""
