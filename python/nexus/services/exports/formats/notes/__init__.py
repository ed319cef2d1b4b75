"""Notes in Markdown, as Obsidian and others read them. Imports nothing."""
