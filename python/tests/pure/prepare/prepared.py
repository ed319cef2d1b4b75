"""A page after the rules of extraction/prepare."""

from nexus.text.extraction.article_html import content_html
from nexus.text.extraction.blocks import Page, collect_blocks
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.pictures.choose_pictures import kept_pictures
from nexus.text.extraction.prepare.edits import body_of
from nexus.text.extraction.prepare.prepare_tree import prepare_tree

PROSE = "The lighthouse keeper wrote one line a day, and on most days the line was about the wind from the sea. " * 4


def page_of(source: str) -> Page:
    root = parse_html(source)
    prepare_tree(root)
    return collect_blocks(body_of(root))


def texts(source: str) -> list[str]:
    return [block.text for block in page_of(source).blocks]


def html(source: str) -> str:
    """The article if every block is kept."""
    page = page_of(source)
    return content_html(page, page.blocks, kept_pictures(page, set(range(len(page.blocks)))))
