"""Lists and collections that contain each other, by their ids: each becomes one nested tag."""

from typing import Any

from nexus.text.imports.objects.fields import as_string
from nexus.text.imports.values import folder_tags

MAX_LISTS = 100_000
MAX_LEVELS = 50

Id = str | int


def as_id(value: Any) -> Id | None:
    """Programs write ids as numbers or as text, which may differ between a list and what refers to it."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)[:100]


def folder_name(value: Any) -> str:
    """Without the character that would make it two: `TCP/IP` is one folder."""
    return (as_string(value) or "").replace("/", "-").strip()


class Lists:
    def __init__(self) -> None:
        self._names: dict[Id, tuple[str, Id | None]] = {}

    def add(self, own: Id | None, name: Any, parent: Id | None) -> None:
        if own is not None and len(self._names) < MAX_LISTS:
            self._names.setdefault(own, (folder_name(name), parent))

    def tags(self, own: Id | None) -> tuple[str, ...]:
        """One tag. A list that contains itself ends where it begins again."""
        parts: list[str] = []
        seen: set[Id] = set()
        while own is not None and own in self._names and own not in seen and len(seen) < MAX_LEVELS:
            seen.add(own)
            name, own = self._names[own]
            parts.append(name)
        return folder_tags(*reversed(parts))
