"""What a new reading of a page is to the text that is there already: the same, better, different or worse."""

from dataclasses import dataclass
from html import escape
from typing import Literal

from nexus.text.characters import is_garbled
from nexus.text.extraction.metadata.text_overlap import prose_words, share_in, word_runs
from nexus.text.extraction.metadata.text_words import words
from nexus.text.page_verdict import MAX_WALL_WORDS, page_verdict, words_to_compare

Change = Literal["same", "better", "different", "worse"]

# Below this share of the words it is worse. What a paywall or a cut leaves of an article is rarely more than half;
# corrections, and comments or links that come and go, change a few hundredths, seldom a fifth.
WORSE_BELOW = 0.75
# From this share of the words on it is better, if it also holds what was there.
BETTER_FROM = 1.1
MIN_CONTAINED = 0.8
# Two texts that have less in common are not two states of one text: the site is gone, or shows a start page, an offer
# or a notice that no verdict knows. Where it says less than the text before, it is worse; else the page is one that
# always changes (a list of news, the weather).
RELATED = 0.1
# So much of one text stands in the other: it is the same page under another address.
SAME_PAGE = 0.5
# For all but whether they are equal the beginnings of both are enough: it is done while others wait for the database.
MAX_CHARS = 100_000
MAX_WORDS = 30_000  # in scripts without spaces each character is one


@dataclass(frozen=True)
class Reading:
    text: str
    title: str | None = None


def compare(new: Reading, old: Reading, *, min_chars: int) -> Change:
    """A text below `min_chars` is short: more text is always better then."""
    if new.text == old.text or new.text.split() == old.text.split():
        return "same"
    garbled = is_garbled(new.text[:MAX_CHARS])
    if garbled != is_garbled(old.text[:MAX_CHARS]):
        return "worse" if garbled else "better"
    is_short = len(old.text) < min_chars
    if is_short and len(new.text) > len(old.text):
        return "better"
    if not is_short and len(new.text) < min_chars:
        return "worse"
    return "better" if _is_wall(old) else _compare_words(new.text, old.text)


def is_same_page(new: str, old: str) -> bool:
    return max(_shares(new, old)) >= SAME_PAGE


def _compare_words(new: str, old: str) -> Change:
    much = _word_number(new) / max(1.0, _word_number(old))
    if much < WORSE_BELOW:
        return "worse"
    old_in_new, new_in_old = _shares(new, old)
    if much >= BETTER_FROM and old_in_new >= MIN_CONTAINED:
        return "better"
    is_unrelated = max(old_in_new, new_in_old) < RELATED
    if is_unrelated and prose_words(new[:MAX_CHARS]) < prose_words(old[:MAX_CHARS]):
        return "worse"
    return "different"


def _word_number(text: str) -> float:
    """How many words the text has, for a long text estimated from its beginning."""
    start = text[:MAX_CHARS]
    return words_to_compare(start) * max(1.0, len(text) / MAX_CHARS)


def _shares(new: str, old: str) -> tuple[float, float]:
    """The share of the old text that is in the new one, and the other way round."""
    new_runs, old_runs = (word_runs(words(text[:MAX_CHARS])[:MAX_WORDS]) for text in (new, old))
    return share_in(old_runs, new_runs), share_in(new_runs, old_runs)


def _is_wall(reading: Reading) -> bool:
    """It was taken for an article before its pattern was known. A new reading was judged with its whole page."""
    if len(reading.text) > MAX_CHARS or words_to_compare(reading.text) > MAX_WALL_WORDS:
        return False
    html = "".join(f"<p>{escape(line)}</p>" for line in reading.text.split("\n"))
    return page_verdict(html, text=reading.text, title=reading.title or "").outcome == "blocked_page"
