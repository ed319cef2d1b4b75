"""The colours of highlights."""

from collections.abc import Sequence
from typing import Literal, get_args

HighlightColor = Literal["yellow", "green", "blue", "pink"]
HIGHLIGHT_COLORS: Sequence[HighlightColor] = get_args(HighlightColor)
