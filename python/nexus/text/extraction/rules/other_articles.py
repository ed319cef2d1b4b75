"""Sites append the next stories below an article: the page's title names the one that was saved."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.element_features import Mask

Floats = npt.NDArray[np.float32]

_MIN_WORDS = 60
_DATE_REACH = 5
_NAMED, _NOT_NAMED = 0.7, 0.4


@dataclass(frozen=True, slots=True)
class Article:
    """An <article> that is in no other one."""

    blocks: range
    headline: int  # the block of its first <h1>; parts of an article have lesser headings


def find_articles(page: Page) -> list[Article]:
    outermost = [0] * len(page.tags)
    for node, parent in enumerate(page.parents):
        around = outermost[parent]
        outermost[node] = around or (node if page.tags[node] == "article" else 0)
    found: dict[int, list[int]] = {}
    for index, block in enumerate(page.blocks):
        if outermost[block.node]:
            found.setdefault(outermost[block.node], []).append(index)
    articles = []
    for blocks in found.values() if len(found) > 1 else ():
        headline = next((i for i in blocks if page.tags[page.blocks[i].node] == "h1"), None)
        if headline is not None:
            articles.append(Article(range(blocks[0], blocks[-1] + 1), headline))
    return articles


def only_named_article(articles: list[Article], in_title: Floats, has_date: Floats, kept: Mask, words: Floats) -> Mask:
    """`in_title` is the share of a block's words that are in the page's title. Where it names none of the articles, as
    on the front page of a blog, or several, as the posts of a thread, all stay; so do sections, which have no date."""
    long = [a for a in articles if float(words[a.blocks][kept[a.blocks]].sum()) >= _MIN_WORDS]
    named = [a for a in long if in_title[a.headline] >= _NAMED]
    if len(named) != 1:
        return kept
    result = kept.copy()
    for article in long:
        top = slice(article.blocks.start, article.headline + _DATE_REACH)
        if in_title[article.headline] <= _NOT_NAMED and has_date[top].any():
            result[article.blocks] = False
    return result
