"""The formats of exports by name. Imports nothing else: `nexus export` offers them and must start at once."""

from typing import Literal

FormatName = Literal["archive", "markdown", "html", "epub", "bookmarks", "readwise-csv"]
