"""Search: tokenizer, index, query, ranking and snippets."""
