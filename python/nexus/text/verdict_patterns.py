"""Loads verdict_patterns.toml."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
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


@dataclass(frozen=True)
class Patterns:
    walls: tuple[WallPattern, ...]
    login_headline: re.Pattern[str]
    consent_words: re.Pattern[str]
    consent_choice: re.Pattern[str]
    script_needed: re.Pattern[str]


@cache
def patterns() -> Patterns:
    """Not on import: most servers and commands look at no page."""
    source = files(__package__).joinpath("verdict_patterns.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(source)
    walls = tuple(
        WallPattern(wall["reason"], wall["where"], wall["max_words"], _any_of(wall["patterns"]))
        for wall in table["wall"]
    )
    phrases = table["phrases"]
    return Patterns(
        walls,
        login_headline=_any_of(phrases["login_headline"]),
        consent_words=_any_of(phrases["consent_words"]),
        consent_choice=_any_of(phrases["consent_choice"]),
        script_needed=_any_of(phrases["script_needed"]),
    )
