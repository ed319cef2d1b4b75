"""Parses HTML5 and walks the tree without recursion: a hostile page is 40 000 elements deep."""

from collections.abc import Container, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

TEXT = "-text"


def word_set(words: str) -> frozenset[str]:
    """Tag names, class names and the like, written as one text."""
    return frozenset(words.split())


def parse_fragment(html: str) -> LexborHTMLParser:
    # As a fragment: in a document, the parser drops leading white space and moves elements into <head>.
    return LexborHTMLParser(html, is_fragment=True)


def walk(root: LexborNode | None, closed: Container[str]) -> Iterator[tuple[LexborNode, str, bool]]:
    """Yield (node, tag, is_start) at each element's start and end, and once for each text node.

    The content of tags in `closed` is not entered; comments and doctypes are skipped.
    """
    ancestors: list[tuple[LexborNode, str]] = []
    node = root
    while node is not None:
        tag = node.tag or "-"
        inside: LexborNode | None = None
        if tag == TEXT:
            yield node, tag, True
        elif not tag.startswith("-"):
            yield node, tag, True
            inside = None if tag in closed else node.first_child
            if inside is None:
                yield node, tag, False
            else:
                ancestors.append((node, tag))
        following = inside or node.next
        while following is None and ancestors:
            parent, parent_tag = ancestors.pop()
            yield parent, parent_tag, False
            following = parent.next
        node = following
