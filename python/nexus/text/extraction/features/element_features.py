"""Features of each element and its ancestors, as arrays in document order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.lexicon import Lexicon, class_tokens

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_TAG_FLAGS = [
    "article",
    "main",
    "header",
    "footer",
    "nav",
    "aside",
    "form",
    "table",
    "ul",
    "figure",
    "blockquote",
    "section",
    "dialog",
    "details",
    "a",
    "td",
    "pre",
    "dl",
    "button",
    "p",
    "h2",
    "label",
]
_ALIASES = {
    "ol": "ul",
    "th": "td",
    "h1": "h2",
    "h3": "h2",
    "h4": "h2",
    "h5": "h2",
    "h6": "h2",
    "search": "nav",
}
_ROLE_FLAGS = {
    "main": "main",
    "navigation": "nav",
    "complementary": "aside",
    "banner": "header",
    "contentinfo": "footer",
    "dialog": "dialog",
    "alertdialog": "dialog",
    "article": "article",
    "button": "button",
    "menu": "nav",
    "search": "nav",
}
FLAG_NAMES = [*_TAG_FLAGS, "noscript", "hidden", "body_prop", "comment"]
_BIT = {name: 1 << i for i, name in enumerate(FLAG_NAMES)}
_TAG_BIT = {t: _BIT[t] for t in (*_TAG_FLAGS, "noscript")} | {t: _BIT[a] for t, a in _ALIASES.items()}
_BODY_PROPS = frozenset(("articleBody", "articlebody", "reviewBody", "recipeInstructions", "description", "text"))


@dataclass(frozen=True, slots=True)
class NodeTable:
    flags: Ints
    depth: Floats
    own_score: Floats
    path_sum: Floats
    path_min: Floats
    path_max: Floats
    near_score: Floats
    signature: list[int]


def _attribute_bits(items: Sequence[tuple[Any, Any]]) -> tuple[int, str]:
    bits = 0
    names = ""
    for key, value in items:
        if key in ("class", "id"):
            names += " " + value
            if "comment" in value:
                bits |= _BIT["comment"]
        elif key == "role":
            flag = _ROLE_FLAGS.get(value)
            bits |= _BIT[flag] if flag else 0
        elif key == "itemprop":
            names += " " + value
            bits |= _BIT["body_prop"] if value in _BODY_PROPS else 0
        elif (
            key == "hidden"
            or (key == "aria-hidden" and value == "true")
            or (key == "style" and "display" in value and "none" in value)
        ):
            bits |= _BIT["hidden"]
    return bits, names


class _Scorer:
    """Caches scores: pages repeat their class strings."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.odds = lexicon.path
        self.known: dict[str, float] = {}

    def score(self, tag: str, names: str) -> float:
        key = tag + names
        found = self.known.get(key)
        if found is None:
            odds = self.odds
            found = odds.get("<" + tag, 0.0) + sum(odds.get(w, 0.0) for w in class_tokens(names))
            self.known[key] = found
        return found


def node_table(page: Page, lexicon: Lexicon) -> NodeTable:
    count = len(page.elements)
    flags, depth, signature = [0] * count, [0.0] * count, [0] * count
    own, total, lowest, highest, near = ([0.0] * count for _ in range(5))
    scorer = _Scorer(lexicon)
    signatures: dict[tuple[int, str, str], int] = {}
    for i, (element, tag, up) in enumerate(zip(page.elements, page.tags, page.parents, strict=True)):
        bits, names = _attribute_bits(element.items())
        score = scorer.score(tag, names)
        own[i] = score
        if i:
            flags[i] = flags[up] | bits | _TAG_BIT.get(tag, 0)
            depth[i] = depth[up] + 1
            total[i] = total[up] + score
            lowest[i] = min(lowest[up], score)
            highest[i] = max(highest[up], score)
            near[i] = 0.6 * near[up] + score
            first_name = names.split(maxsplit=1)[0] if names.strip() else ""
            signature[i] = signatures.setdefault((signature[up], tag, first_name), len(signatures) + 1)
    f32 = np.float32
    return NodeTable(
        np.array(flags, dtype=np.int64),
        np.array(depth, dtype=f32),
        np.array(own, dtype=f32),
        np.array(total, dtype=f32),
        np.array(lowest, dtype=f32),
        np.array(highest, dtype=f32),
        np.array(near, dtype=f32),
        signature,
    )
