"""Folders of Markdown notes."""

from datetime import UTC, datetime

import pytest

from nexus.errors import ImportNotRecognisedError
from nexus.text.imports.records import ImportedHighlight, ImportedItem
from tests.pure.imports.reading import items, problems, read, zipped

SAVED = datetime(2024, 3, 2, 9, 5, 7, tzinfo=UTC)
DAY = datetime(2024, 3, 2, tzinfo=UTC)

OURS = """---
title: "On \\"salt\\": a story"
url: "https://a.example/salt?x=1"
site: "Site"
author:
  - "Ada Doe"
  - "Bob Roe"
saved: 2024-03-02T09:05:07
published: 2024-03-02T00:00:00
tags:
  - "food/sea"
  - "_2024"
status: read
starred: true
archived: false
note: "mine,\\nin two lines"
kind: web_article
id: 00000000-0000-0000-0000-000000000000
---

# On \\"salt\\": a story

> [!note]
> mine,
> in two lines

[On salt](https://a.example/salt?x=1)

The *first* words.

> A quote of the article.

## Part two

More words.

## Highlights

> [!quote] 2024-03-02 (blue, not in the current text)
> The \\*first\\* words,
> of two lines
>
> > [!note]
> > why
>
> #food/sea #x

^hl-000000000000

> [!quote] 2024-03-02 (yellow)
> More words.

^hl-111111111111
"""


def test_a_note_of_our_own_export() -> None:
    (item,) = items({"library.zip": zipped({"On salt.md": OURS, "pictures/a.png": b"\x89PNG\r\n"})})
    assert item == ImportedItem(
        "library.zip/On salt.md", 1, "https://a.example/salt?x=1", 'On "salt": a story', SAVED, ("food/sea", "_2024"),
        archived=False, starred=True, read=True, note="mine,\nin two lines", author="Ada Doe, Bob Roe",
        site_name="Site", published_at=DAY,
        text="The *first* words.\n\n> A quote of the article.\n\n## Part two\n\nMore words.",
        highlights=(
            ImportedHighlight("The *first* words,\nof two lines", "why", "blue", ("food/sea", "x"), DAY),
            ImportedHighlight("More words.", None, "yellow", (), DAY),
        ),
    )  # fmt: skip


READWISE = """# On salt

![rw-book-cover](https://images.example/x.png)

## Metadata
- Author: [[Ada Doe]]
- Full Title: On salt and sea
- Category: #articles
- Document Tags: #food #sea
- URL: https://a.example/salt

## Highlights
- First quote ([View Highlight](https://read.readwise.io/read/1))
    - Note: why
    - Tags: [[one]] [[two words]]
- Second quote
  that goes on ([Location 12](https://read.readwise.io/read/2))
"""


def test_a_note_of_readwise() -> None:
    item, _ = items({"a.md": READWISE, "b.md": "Words.\n"})
    assert (item.title, item.url, item.author, item.tags) == (
        "On salt and sea", "https://a.example/salt", "Ada Doe", ("food", "sea"),
    )  # fmt: skip
    assert item.highlights == (
        ImportedHighlight("First quote", "why", tags=("one", "two words")),
        ImportedHighlight("Second quote\nthat goes on"),
    )


CLIPPED = """---
title: Salt: a story
source: https://a.example/salt
author: ["[[Ada Doe]]", 'Bob']
created: 2024-03-02
tags: [clippings, "two words"]
description: >-
  Long words
  go on
---
The words.

## Quotes

> one

why

> two
> lines ^hl-2
"""


def test_a_note_of_a_web_clipper() -> None:
    (item,) = items({"x.zip": zipped({"Clippings/Salt.md": CLIPPED.replace("\n", "\r\n")})})
    assert item == ImportedItem(
        "x.zip/Clippings/Salt.md", 1, "https://a.example/salt", "Salt: a story", DAY, ("clippings", "two words"),
        text="The words.", author="Ada Doe, Bob",
        highlights=(ImportedHighlight("one", "why"), ImportedHighlight("two\nlines")),
    )  # fmt: skip


def test_notes_without_properties() -> None:
    files = {
        "Ideas/Salt & sea.md": "Some words.\n",
        "b.md": "# Heading #\n\nWords.\n",
        "empty.md": "---\ntitle: x\n---\n",
    }
    _, records = read(files)
    assert [(each.title, each.text) for each in records if isinstance(each, ImportedItem)] == [
        ("Salt & sea", "Some words."), ("Heading", "Words."),
    ]  # fmt: skip
    (problem,) = problems(files)
    assert (problem.file, problem.code) == ("empty.md", "no_text")


@pytest.mark.parametrize("name", ["note.md", "page.html", "text.txt"])
def test_one_text_or_page_is_no_import(name: str) -> None:
    with pytest.raises(ImportNotRecognisedError):
        read({name: "<html><p>Words.</p></html>" if name == "page.html" else OURS})


@pytest.mark.processor_seconds(60)
@pytest.mark.parametrize(
    "text",
    [
        "## Highlights\n- " + " " * 300_000 + "x\n> " + "^" * 300_000,
        "# " + " #" * 200_000 + "x",
        "---\n" + "a:" * 40_000 + "\n---\n",
        "---\nauthor: [" + "\"a',[[" * 12_000 + "]\n---\nx",
        "## Metadata\n- " + "a " * 200_000 + "\n- **" + "*" * 200_000,
        "[" * 300_000,
    ],
)
def test_lines_that_look_like_markup(text: str) -> None:
    assert len(read({"a.md": text, "b.md": "Words."})[1]) == 2
