"""What other extractors take from the pages that have no gold text: labels for bench.train_blocks.

    python -m bench.blocks.votes --corpus PAGES.jsonl.xz --out VOTES.json.xz

The file is {id: [text, ...]}: the texts of trafilatura in its precision mode and of readability-lxml.
"""

import argparse
import json
import lzma
from multiprocessing import Pool
from pathlib import Path

import trafilatura
from lxml import etree
from readability import Document

from bench.corpus import METRIC, Sample, load_corpus


def votes_on(sample: Sample) -> list[str]:
    return [_trafilatura(sample), _readability(sample)]


def _trafilatura(sample: Sample) -> str:
    data = sample.html.encode("utf-8", "replace")
    return trafilatura.extract(data, url=sample.url or None, include_comments=False, favor_precision=True) or ""


def _readability(sample: Sample) -> str:
    try:
        summary = Document(sample.html).summary()
    except Exception:  # noqa: BLE001 - it raises whatever lxml does on a page that it cannot read
        return ""
    root = etree.fromstring(summary.encode(), etree.HTMLParser(encoding="utf-8"))
    return "" if root is None else "\n".join(map(str, root.itertext()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    samples = [s for s in load_corpus(*arguments.corpus) if METRIC[s.set] == "snippets"]
    with Pool() as pool:
        votes = pool.map(votes_on, samples, chunksize=8)
    found = {s.id: texts for s, texts in zip(samples, votes, strict=True)}
    arguments.out.write_bytes(lzma.compress(json.dumps(found).encode()))


if __name__ == "__main__":
    main()
