"""Pages that only send the reader on, as static sites do for moved pages: <meta http-equiv="refresh">."""

import re

import ada_url
from selectolax.lexbor import LexborHTMLParser, LexborNode

SMALL_PAGE = 16_384  # such pages are a few hundred bytes; an article that reloads itself is larger
LONGEST_DELAY = 5
CONTENT = re.compile(r"""\s*(\d{1,9})(?:\.\d*)?\s*[;,]?\s*(?:url\s*=\s*)?['"]?\s*([^'"]*)""", re.IGNORECASE)
NOT_FOR_BROWSERS = frozenset({"noscript", "template"})


def refresh_target(page: bytes, url: str) -> str | None:
    """Where the page sends its reader by itself, within seconds; not if it is only to itself."""
    if len(page) > SMALL_PAGE or b"refresh" not in page.lower():
        return None
    for meta in LexborHTMLParser(page.decode("utf-8", errors="replace")).css("meta[http-equiv][content]"):
        matched = CONTENT.match(meta.attributes.get("content") or "")
        is_refresh = (meta.attributes.get("http-equiv") or "").strip().lower() == "refresh"
        if not is_refresh or not matched or not matched[2].strip() or _is_hidden(meta):
            continue
        if int(matched[1]) <= LONGEST_DELAY:
            return _resolved(matched[2].strip(), url)
    return None


def _is_hidden(node: LexborNode) -> bool:
    while node.parent is not None:
        node = node.parent
        if node.tag in NOT_FOR_BROWSERS:
            return True
    return False


def _resolved(target: str, url: str) -> str | None:
    try:
        there, here = ada_url.URL(target, base=url), ada_url.URL(url)
    except ValueError:
        return None
    del there.hash, here.hash
    return None if there.href == here.href else there.href
