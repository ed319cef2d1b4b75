"""Where a sentence of one text stands in another reading of the same page."""

from collections.abc import Iterator, Sequence

# The sentence may go on differently: at last its first words are enough.
MIN_CHARS = 20


def find_sentence(fragments: Sequence[str], words: str, share: float) -> tuple[int, int]:
    """The fragment (its place in the list) and the offset in it; of several the one nearest to `share` of the text.

    Where the words are gone, the place at that share.
    """
    total = sum(map(len, fragments))
    length = len(words)
    while length >= min(MIN_CHARS, len(words)) > 0:
        found = list(_places(fragments, words[:length]))
        if found:
            _, fragment, offset = min(found, key=lambda place: abs(place[0] - share * total))
            return fragment, offset
        length //= 2
    return _at(fragments, round(share * total))


def _places(fragments: Sequence[str], words: str) -> Iterator[tuple[int, int, int]]:
    before = 0
    for number, fragment in enumerate(fragments):
        offset = fragment.find(words)
        while offset >= 0:
            yield before + offset, number, offset
            offset = fragment.find(words, offset + len(words))
        before += len(fragment)


def _at(fragments: Sequence[str], place: int) -> tuple[int, int]:
    for number, fragment in enumerate(fragments):
        if place < len(fragment):
            return number, place
        place -= len(fragment)
    return max(0, len(fragments) - 1), len(fragments[-1]) if fragments else 0
