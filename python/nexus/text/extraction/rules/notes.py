"""Keeps the footnotes of kept text: short, full of links and below the text, they look like what a site adds."""

from nexus.text.extraction.features.element_features import Mask
from nexus.text.extraction.rules.page_links import Link


def find_notes(links: list[Link]) -> list[Link]:
    """(the block that refers, its note): the one links to the other below it, and that links back."""
    known = set(links)
    return sorted((by, note) for by, note in known if by < note and (note, by) in known)


def with_notes(notes: list[Link], kept: Mask) -> Mask:
    """In document order, so that a note's own note stays as well."""
    result = kept.copy()
    for by, note in notes:
        result[note] |= result[by]
    return result
