"""A record comes back from its line of JSON as it was."""

from datetime import UTC, datetime

import pytest

from nexus.text.imports.records import (
    ImportedFeed,
    ImportedHighlight,
    ImportedItem,
    ImportProblem,
    ImportRecord,
    from_json,
    to_json,
)

TIME = datetime(2019, 5, 4, 3, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "record",
    [
        ImportedItem("pocket.csv", 2),
        ImportedItem("pocket.csv", 2, archived=False, starred=False, read=True, progress=0.0),
        ImportedItem(
            "a.zip/b.json",
            7,
            url="https://example.org/ü?a=1&b=2",
            title="Two\nlines",
            saved_at=TIME,
            tags=("Cooking/Bread", "x"),
            highlights=(ImportedHighlight("quoted"), ImportedHighlight("q", "n", "blue", ("t",), TIME)),
            html="<p>Text</p>",
            published_at=TIME,
            is_feed_item=True,
        ),
        ImportedFeed("feeds.opml", 4, "https://example.org/feed", "Feed", ("News",)),
        ImportProblem("x.csv", 9, "not_a_link", "This row has no link.", title="Title"),
    ],
)
def test_record_comes_back_from_its_line(record: ImportRecord) -> None:
    line = to_json(record)
    assert "\n" not in line
    assert from_json(line) == record
