"""Jobs of a corpus: their registry, their queue, and the processes beside them."""
