"""How alike two passages are."""

MIN_SIMILARITY = 0.85  # below it they are different words


def similarity(one: str, other: str) -> float:
    """Twice their longest common subsequence of characters, as a share of both lengths: 1 for the same passages."""
    if one == other:
        return 1.0
    total = len(one) + len(other)
    start, end = _common_ends(one, other)
    common = start + end + _common_subsequence(one[start : len(one) - end], other[start : len(other) - end])
    return 2 * common / total


def can_be_alike(one: int, other: int, least: float = MIN_SIMILARITY) -> bool:
    """By their lengths alone."""
    return 2 * min(one, other) >= least * (one + other) > 0


def _common_ends(one: str, other: str) -> tuple[int, int]:
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    room = shorter - start
    end = next((at for at in range(room) if one[-1 - at] != other[-1 - at]), room)
    return start, end


def _common_subsequence(one: str, other: str) -> int:
    """Its length. A bit per character of `one`, so that a column of the usual table is one number (Hyyrö 2004)."""
    where: dict[str, int] = {}
    for at, char in enumerate(one):
        where[char] = where.get(char, 0) | 1 << at
    everything = (1 << len(one)) - 1
    column = everything
    for char in other:
        matched = column & where.get(char, 0)
        column = (column + matched | column - matched) & everything
    return len(one) - column.bit_count()
