"""What of an article's structure is kept, as JSON: recall and precision of pictures, captions, list items and so on.

    python -m bench.fidelity --corpus WILD.jsonl.xz [--blocks model gold] [--predictions OOF.json] [--worst KIND N]

Expected is the HTML that comes with a page of the corpus, ours is what the reader shows. Each kind is a mean over the
pages that have it, never over items. --blocks gold takes the blocks that make up the gold text instead of the model's:
what is lost then, the code loses. --predictions takes those of out-of-fold texts, for pages the model was trained on.
--worst lists the pages that lose most of a kind. Formulas are counted on the project's own pages as well: see --own.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.blocks.labels import label_blocks
from bench.corpus import Sample, load_corpus
from bench.fidelity.compare import Comparison, compare, compare_formulas, means
from bench.fidelity.names import FIELDS, ComparedName, compare_names, shares
from bench.fidelity.structure import KINDS
from nexus.text.extraction.blocks import Page
from nexus.text.read_page import ReadPage, read_page

_OWN = Path(__file__).parents[2] / "python" / "tests" / "pure" / "pages"
_MOSTLY = 0.5
_CHOICES = ("model", "gold")

Structures = dict[str, dict[str, Comparison]]
Names = dict[str, dict[str, ComparedName]]


def read(html: bytes, url: str | None) -> ReadPage:
    return read_page(html, content_type="text/html; charset=utf-8", url=url)


def read_with_text(sample: Sample, text: str) -> ReadPage:
    """What the reader would show if the model had chosen the blocks of this text."""

    def blocks_of_text(page: Page, *_: Any) -> list[int]:
        return [i for i, share in enumerate(label_blocks([b.text for b in page.blocks], text)) if share > _MOSTLY]

    with patch("nexus.text.extract_text.main_blocks", blocks_of_text):
        return read(sample.html.encode("utf-8", "replace"), sample.url or None)


def own_pages(folder: Path) -> Iterator[tuple[str, dict[str, Comparison]]]:
    """Pages with formulas are rare in the corpora: those of the tests, with the TeX that their expectations list."""
    expectations = json.loads((folder / "expectations.json").read_text(encoding="utf-8"))
    for name, expected in expectations.items():
        if "formulas" in expected:
            page = read((folder / name).read_bytes(), "https://example.test/page")
            yield f"own:{name}", compare_formulas(expected["formulas"], page.html_sanitized)


def worst(pages: Structures, kind: str, count: int) -> Iterator[str]:
    having = [(found[kind], name) for name, found in pages.items() if kind in found and found[kind].recall is not None]
    for found, name in sorted(having, key=lambda pair: pair[0].recall or 0.0)[:count]:
        lost, added = f"{len(found.lost)} of {found.expected} lost", f"{len(found.added)} of {found.ours} added"
        yield f"{found.recall:.2f} {name}: {lost}, {added}"
        yield from (f"    lost   {text[:150]}" for text in found.lost[:12])
        yield from (f"    added  {text[:150]}" for text in found.added[:6])


def wrong_names(pages: Names, field: str) -> Iterator[str]:
    for page, found in pages.items():
        if field in found and not found[field].right:
            yield f"{page}: {found[field].expected!r}, ours {found[field].ours!r}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, nargs="+")
    parser.add_argument("--own", type=Path, default=_OWN, metavar="FOLDER")
    parser.add_argument("--blocks", choices=_CHOICES, nargs="*", default=["model"])
    parser.add_argument("--predictions", type=Path)
    parser.add_argument("--worst", nargs=2, metavar=("KIND", "N"), help=f"KIND: {', '.join((*KINDS, *FIELDS))}")
    parser.add_argument("--out", type=Path, help="such as bench/figures/fidelity.json")
    return parser.parse_args()


def measure(samples: list[Sample], choice: str, texts: dict[str, str], own: Path) -> tuple[Structures, Names]:
    """With the blocks of the given texts; where there is none, with those that the model chooses."""
    pages: Structures = {}
    names: Names = {}
    for sample in samples:
        text = sample.gold if choice == "gold" else texts.get(sample.id)
        page = read_with_text(sample, text) if text else read(sample.html.encode("utf-8", "replace"), sample.url)
        title = str(sample.expected_metadata.get("title") or "")
        pages[sample.id] = compare(sample.expected_html, page.html_sanitized, sample.url, title)
        names[sample.id] = compare_names(sample.expected_metadata, page.about)
    return pages | (dict(own_pages(own)) if choice == "model" else {}), names


def main() -> None:
    arguments = _arguments()
    samples = [s for s in load_corpus(*arguments.corpus) if s.expected_html]
    texts = json.loads(arguments.predictions.read_text(encoding="utf-8")) if arguments.predictions else {}
    report = {}
    for choice in [*arguments.blocks, *([arguments.predictions.stem] if texts else [])]:
        pages, names = measure(samples, choice, {} if choice in _CHOICES else texts, arguments.own)
        if arguments.worst:
            kind, count = arguments.worst
            print("\n".join(wrong_names(names, kind) if kind in FIELDS else worst(pages, kind, int(count))))
        found = {"kinds": means(list(pages.values())), "names": shares(list(names.values()))}
        report[choice] = {"pages": len(pages), **found}
    text = json.dumps(report, indent=1) + "\n"
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    if not arguments.worst:
        print(text, end="")


if __name__ == "__main__":
    main()
