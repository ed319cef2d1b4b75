"""Extracts the main text and the metadata of a page from its bytes."""

from dataclasses import dataclass

from nexus.text.canonical_text import canonicalize
from nexus.text.extraction.article_html import content_html
from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.charset import decode_html
from nexus.text.extraction.embed_cards import embed_cards
from nexus.text.extraction.features.page_hints import read_hints
from nexus.text.extraction.formula_blocks import with_formulas
from nexus.text.extraction.main_text import main_blocks
from nexus.text.extraction.metadata.article_body import better_body
from nexus.text.extraction.metadata.excerpt import opening
from nexus.text.extraction.metadata.language import language_of
from nexus.text.extraction.metadata.read_metadata import Metadata, read_metadata
from nexus.text.extraction.model import shipped_model
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.pictures.choose_pictures import kept_pictures
from nexus.text.extraction.prepare.prepare_tree import prepare_tree
from nexus.text.extraction.result import Extraction


@dataclass(frozen=True, slots=True)
class MainContent:
    """The main part of a page without its canonical text, which `read_page` computes once, after sanitizing."""

    known: Metadata
    content_html: str

    def with_text(self, text: str) -> Extraction:
        known = self.known
        return Extraction(
            title=known.title,
            byline=known.byline,
            site_name=known.site_name,
            published_at=known.published_at,
            lang=language_of(known.lang, text),
            excerpt=known.description or opening(text, self.content_html, known.title),
            lead_image=known.lead_image,
            base_url=known.base_url,
            declared_url=known.declared_url,
            content_html=self.content_html,
            text=text,
        )


def extract_text(data: bytes, *, content_type: str | None, url: str | None) -> Extraction:
    found = find_main_content(decode_html(data, content_type), url=url)
    return found.with_text(canonicalize(found.content_html))


def find_main_content(source: str, *, url: str | None, base_url: str | None = None) -> MainContent:
    root = parse_html(source)
    prepare_tree(root)
    known = read_metadata(root, url, base_url)
    body = root.find("body")
    page = collect_blocks(root if body is None else body)
    kept = with_formulas(page, main_blocks(page, read_hints(root), shipped_model()))
    blocks = [page.blocks[i] for i in kept]
    declared = better_body(known.body, page, kept)
    if declared:
        return MainContent(known, declared)
    pictures = kept_pictures(page, set(kept), known.lead_image or "")
    return MainContent(known, content_html(page, blocks, pictures, embed_cards(page, set(kept))))
