"""A short last section under a heading that names other content: "Who is online", "About the author"."""

import numpy as np

from nexus.text.extraction.features.element_features import Floats, Mask
from nexus.text.extraction.features.naming_words import is_other_heading

_SHARE = 0.1


def without_named_end(texts: list[str], is_heading: Mask, kept: Mask, words: Floats) -> Mask:
    """Only what is small beside the text: a page about comments has a section "Comments". It changes the scores of no
    set of development pages; forums and blogs that end so are rare there."""
    limit = _SHARE * float(words[kept].sum())
    after, cut = 0.0, len(texts)
    for index in np.flatnonzero(kept)[::-1].tolist():
        after += float(words[index])
        if after > limit:
            break
        if is_heading[index] and is_other_heading(texts[index]):
            cut = index
    result = kept.copy()
    result[cut:] = False
    return result
