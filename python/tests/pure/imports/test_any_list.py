"""Lists of objects with links, of unknown programs."""

import json
from datetime import UTC, datetime

import pytest

from nexus.errors import ImportNotRecognisedError
from nexus.text.imports.records import ImportedItem
from tests.pure.imports.reading import items, read


def test_fields_with_the_usual_names() -> None:
    entries = [
        {
            "URL": "https://a.example/", "title": "A", "tags": ["x, y", {"name": "z"}], "created_at": 1709370307,
            "archived": True, "favorite": False, "notes": "n", "inner": {"url": "https://no.example/"},
        },
        {"link": "https://b.example/", "tags": "x, y", "title": None},
    ]  # fmt: skip
    assert items({"x.json": json.dumps([{"url": "https://0.example/"}, *entries])}) == [
        ImportedItem("x.json", 1, "https://0.example/"),
        ImportedItem(
            "x.json", 2, "https://a.example/", "A", datetime(2024, 3, 2, 9, 5, 7, tzinfo=UTC), ("x, y", "z"),
            archived=True, starred=False, note="n",
        ),
        ImportedItem("x.json", 3, "https://b.example/", tags=("x", "y")),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ['{"url": "https://a.example/"}', '[1, "https://a.example/"]', '[{"name": "A"}]'])
def test_other_json_is_no_export(text: str) -> None:
    with pytest.raises(ImportNotRecognisedError):
        read({"x.json": text})
