"""What is extracted of a page, apart from the code that does it, which not every process needs to load."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Extraction:
    title: str | None
    byline: str | None
    site_name: str | None
    published_at: datetime | None
    lang: str | None
    excerpt: str | None
    lead_image: str | None
    base_url: str | None  # what the links in content_html are relative to
    declared_url: str | None  # what the page calls its own address: for information, never identity
    content_html: str
    text: str
