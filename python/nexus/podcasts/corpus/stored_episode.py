"""An episode as the corpus knows it: its number, its file name and its identity."""

from dataclasses import dataclass, field
from typing import Literal

GuidSource = Literal["guid", "enclosure", "title_and_date"]


@dataclass
class StoredEpisode:
    """``aliases`` are all the names it ever had; the first is its identity."""

    number: int
    guid: str
    guid_source: GuidSource
    stem: str
    aliases: list[str] = field(default_factory=list)
