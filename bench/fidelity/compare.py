"""How much of an expected structure is in ours, and how much of ours was expected: a page at a time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from bench.fidelity.formulas import formulas_in, squeezed, written_formulas
from bench.fidelity.structure import KINDS, Item, Root, parse, plain, structure_of, text_of

# Long texts are the same when nearly all their words are: a caption without its credit, an item without a mark.
_FUZZY = frozenset(("captions", "list_items", "quotes", "cells"))
_MIN_WORDS = 6
_ALIKE = 0.75
_TITLE = 0.4  # of its characters: the rest is the site's name


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of one kind on one page."""

    expected: int
    ours: int
    lost: list[str]
    added: list[str]

    @property
    def recall(self) -> float | None:
        return 1 - len(self.lost) / self.expected if self.expected else None

    @property
    def precision(self) -> float | None:
        return 1 - len(self.added) / self.ours if self.ours else None


def _shared_key(item: Item, free: dict[int, Item], by_key: dict[str, list[int]]) -> int | None:
    return next((i for key in item.keys for i in by_key.get(key, ()) if i in free), None)


def _bag(item: Item) -> Counter[str]:
    return Counter(word for key in item.keys for word in key.split())


def _nearly_equal(item: Item, bags: dict[int, Counter[str]]) -> int | None:
    words = _bag(item)
    if words.total() < _MIN_WORDS:
        return None
    least = _ALIKE / 2
    return next((i for i, bag in bags.items() if (words & bag).total() >= least * (words.total() + bag.total())), None)


def match(expected: Sequence[Item], ours: Sequence[Item], fuzzy: bool) -> Comparison:
    """Pairs each expected one with at most one of ours."""
    free = dict(enumerate(ours))
    by_key: dict[str, list[int]] = defaultdict(list)
    for i, item in free.items():
        for key in item.keys:
            by_key[key].append(i)
    lost: list[Item] = []
    for item in expected:
        found = _shared_key(item, free, by_key)
        if found is None:
            lost.append(item)
        else:
            del free[found]
    if fuzzy:
        bags, still = {i: _bag(item) for i, item in free.items()}, []
        for item in lost:
            found = _nearly_equal(item, bags)
            if found is None:
                still.append(item)
            else:
                del free[found], bags[found]
        lost = still
    return Comparison(len(expected), len(ours), [i.shown for i in lost], [i.shown for i in free.values()])


def match_formulas(expected: Iterable[frozenset[str]], ours: Root) -> Comparison:
    """Ours are text, which says no more that it is a formula: only what is lost can be told."""
    ways, text = list(expected), written_formulas(ours)
    return Comparison(len(ways), 0, [min(w) for w in ways if not any(way in text for way in w)], [])


def _without_title(items: list[Item], title: str) -> list[Item]:
    """Whether the title is repeated above the text, as a heading or a link, is a matter of taste: neither kept nor
    lost."""
    whole = plain(title)
    texts = [plain(item.shown.partition(" <")[0]) for item in items]
    return [i for i, text in zip(items, texts, strict=True) if text not in whole or len(text) < _TITLE * len(whole)]


def _known_as_text(found: Comparison, text: str) -> Comparison:
    """A caption that is a plain paragraph in the expected article is not added, only named."""
    known = [caption for caption in found.added if plain(caption) in text]
    return replace(found, ours=found.ours - len(known), added=[c for c in found.added if c not in known])


def compare(expected_html: str, our_html: str, base: str, title: str = "") -> dict[str, Comparison]:
    expected, ours = parse(expected_html), parse(our_html)
    wanted, got = structure_of(expected, base), structure_of(ours, base)
    for structure in (wanted, got):
        for kind in ("headings", "links"):
            structure[kind] = _without_title(structure[kind], title)
    found = {kind: match(wanted[kind], got[kind], kind in _FUZZY) for kind in wanted}
    found["captions"] = _known_as_text(found["captions"], plain(text_of(expected)))
    return found | {"formulas": match_formulas(formulas_in(expected), ours)}


def compare_formulas(formulas: Sequence[str], our_html: str) -> dict[str, Comparison]:
    """For a page of our own, whose formulas are listed as TeX."""
    return {"formulas": match_formulas((frozenset([squeezed(f)]) for f in formulas), parse(our_html))}


def _rounded_mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return round(fmean(known), 4) if known else None


def means(pages: Sequence[dict[str, Comparison]]) -> dict[str, dict[str, float | None]]:
    """The mean of each kind over its pages, all of one weight: one encyclopedia article has most list items."""
    report: dict[str, dict[str, float | None]] = {}
    for kind in KINDS:
        found = [page[kind] for page in pages if kind in page]
        report[kind] = {
            "recall": _rounded_mean(c.recall for c in found),
            "precision": _rounded_mean(c.precision for c in found),
            "pages_expected": sum(c.expected > 0 for c in found),
            "pages_ours": sum(c.ours > 0 for c in found),
            "items_expected": sum(c.expected for c in found),
            "items_lost": sum(len(c.lost) for c in found),
            "items_ours": sum(c.ours for c in found),
            "items_added": sum(len(c.added) for c in found),
        }
    return report
