"""Loads verdict_patterns.toml."""

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

Reason = Literal[
    "bot_wall",
    "refusal",
    "login_wall",
    "consent_wall",
    "paywall",
    "soft_404",
    "error_page",
    "parked_domain",
    "javascript_shell",
]


@dataclass(frozen=True)
class WallPattern:
    reason: Reason
    where: Literal["headline", "body", "source", "url"]
    max_words: int
    pattern: re.Pattern[str]


def _any_of(alternatives: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{alternative})" for alternative in alternatives))


_table: dict[str, Any] = tomllib.loads(files(__package__).joinpath("verdict_patterns.toml").read_text(encoding="utf-8"))

WALL_PATTERNS = tuple(
    WallPattern(wall["reason"], wall["where"], wall["max_words"], _any_of(wall["patterns"])) for wall in _table["wall"]
)
LOGIN_HEADLINE = _any_of(_table["phrases"]["login_headline"])
CONSENT_WORDS = _any_of(_table["phrases"]["consent_words"])
CONSENT_CHOICE = _any_of(_table["phrases"]["consent_choice"])
SCRIPT_NEEDED = _any_of(_table["phrases"]["script_needed"])
