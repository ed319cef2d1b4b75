"""What is being typed at the end of a query, and how a value is written into it."""

import re
from dataclasses import dataclass

from nexus.search.query import QUOTES, TOKEN

_OPERATOR = re.compile(r"(?P<minus>-?)(?P<operator>[a-zA-Z]+):")


@dataclass(frozen=True)
class PartialQuery:
    """`before` stays as it is. Without an operator `value` may become one, or a value of one."""

    before: str
    minus: str = ""
    operator: str | None = None
    value: str = ""

    def completed(self, operator: str, value: str = "") -> str:
        """The query with the value instead of what is being typed; a space after it means that the value is
        complete."""
        if not value:
            return f"{self.before}{self.minus}{operator}:"
        written = f'"{value}"' if re.search(r"\s", value) else value
        return f"{self.before}{self.minus}{operator}:{written} "


def can_be_written(value: str) -> bool:
    """False for a value with a quotation mark: the query language cannot escape one."""
    return not any(quote in value for quote in QUOTES)


def read_partial_query(typed: str) -> PartialQuery | None:
    """None: the last word is complete, and nothing new was begun."""
    tokens = list(TOKEN.finditer(typed))
    if not tokens or tokens[-1].end() < len(typed):
        return PartialQuery(typed)
    last = tokens[-1]
    before = typed[: last.start()]
    if last["phrase"] is not None:
        is_closed = last.end("phrase") < len(typed)
        return None if is_closed or not last["operator"] else _partial_query(before, last, last["phrase"])
    begun = _OPERATOR.fullmatch(last.group())
    return _partial_query(before, begun or last, "" if begun else last["plain"])


def _partial_query(before: str, found: re.Match[str], value: str) -> PartialQuery:
    return PartialQuery(before, found["minus"], found["operator"].lower() if found["operator"] else None, value)
