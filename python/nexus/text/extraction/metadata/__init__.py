"""Title, author, site, date, language, picture and addresses of a page."""

from nexus.text.extraction.metadata.dates import parse_date
from nexus.text.extraction.metadata.read_metadata import Metadata, read_metadata

__all__ = ["Metadata", "parse_date", "read_metadata"]
