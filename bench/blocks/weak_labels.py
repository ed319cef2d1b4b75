"""Labels for pages without a gold text: what other extractors agree on, corrected by the snippets that are known."""

import json
import lzma
from pathlib import Path

import numpy as np

from bench.blocks.labels import label_blocks
from bench.corpus import Sample
from nexus.text.extraction.features.element_features import Floats

_SURE = 2.0


def read_votes(path: Path | None) -> dict[str, list[str]]:
    """As bench.blocks.votes writes them."""
    votes: dict[str, list[str]] = json.loads(lzma.decompress(path.read_bytes())) if path else {}
    return votes


def weak_labels(texts: list[str], sample: Sample, votes: list[str]) -> tuple[Floats, Floats]:
    """Per block the mean of the votes and a weight, which is doubled where a snippet decides."""
    labels = np.mean([label_blocks(texts, vote) for vote in votes], axis=0).astype(np.float32)
    weights = np.ones(len(texts), dtype=np.float32)
    for snippets, label in ((sample.must, 1.0), (sample.must_not, 0.0)):
        wanted = [" ".join(s.split()) for s in snippets]
        for index, text in enumerate(texts):
            if any(s in text for s in wanted):
                labels[index], weights[index] = label, _SURE
    return labels, weights
