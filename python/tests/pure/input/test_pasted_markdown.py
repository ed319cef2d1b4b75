"""Pasted Markdown is rendered; plain text that merely holds such marks stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.text.canonical_text import canonicalize
from nexus.text.pasted_markdown import is_markdown
from nexus.text.pasted_text import read_paste
from nexus.text.sanitize import sanitize_html

NOTES = """# Tides

The *moon* pulls, the **sun** helps. See [the tables](https://tides.example/t "All").

## Ports

1. Dover
2. Calais

- one
- two

> Time and tide
> wait for no one.

```python
high = 2  # a day
```

| port | metres |
|---|---|
| Dover | 6.8 |

![A chart](https://tides.example/chart.png)
"""


def test_markdown_is_shown_as_what_it_says() -> None:
    page = read_paste(NOTES)
    html = page.html_sanitized
    for part in (
        "<h1>Tides</h1>",
        "<em>moon</em>",
        "<strong>sun</strong>",
        '<a href="https://tides.example/t" title="All"',
        "<h2>Ports</h2>",
        "<ol>\n<li>Dover</li>",
        "<ul>\n<li>one</li>",
        "<blockquote>",
        "<pre><code>high = 2  # a day\n</code></pre>",
        "<td>6.8</td>",
        '<img alt="A chart" src="/media/image?url=https%3A%2F%2Ftides.example%2Fchart.png">',
    ):
        assert part in html, (part, html)
    assert page.title == "Tides"
    assert page.canonical_text.startswith("Tides\nThe moon pulls, the sun helps. See the tables.\nPorts\nDover\nCalais")
    assert sanitize_html(html, "") == html
    assert canonicalize(html) == page.canonical_text


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n- one\n- two",
        "# Notes\n- one\n- two",
        "## First\nText.\n\n## Second\nText.",
        "# One\n\nText.\n\n## Two\n\nText.",
        "Title\n=====\n\nSome **bold** words.",
        "Read [this](https://a.example/x_(y)) first.",
        "Run it:\n\n```sh\nmake run\n```",
        "**Who:** Ann\n**When:** now",
        "# Setup\n\nCall `make run` and wait.",
        "\r\n# Windows\r\n\r\nIt has **other** line ends.\r\n",
    ],
)
def test_markdown_is_recognised(text: str) -> None:
    assert is_markdown("\n".join(text.splitlines()))


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 = 24, and 5 * 6 = 30",
        "Terms apply*\n\n* not on Sundays",
        "#1 in the charts, #2 at home",
        "#hashtag and #another one",
        "1. Dover 2. Calais",
        "In 1984. Then again in 1985.",
        "1. First of all\n2. And then\n3. The end",
        "- Where are you?\n- Here.",
        "> you wrote:\n> that it works\n\nIt does not.",
        "snake_case_name and __init__ and a**b**c",
        "Dear all,\n\nsee https://a.example/ [1] and (2).\n\n[1] a note",
        "#!/bin/sh\n# install it\napt install x\n\n# run it\nx --now",
        "# list of things\n\nkey = 1\n\n# another\n\nkey = 2",
        "Price: 5 * 2 ** 3",
        "A line\n---\nanother line",
        "***",
        "[ ] to do\n[x] done",
        "array[0](1) and f[x](y)",
        "He said `well",
        "a | b | c",
        "C:\\*\\**",
        "**",
    ],
)
def test_plain_text_stays_as_it_was_written(text: str) -> None:
    page = read_paste(text)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    assert page.canonical_text == "\n".join(lines)


def test_line_ends_stay_unless_an_editor_made_them() -> None:
    poem = read_paste("# Ebb\n\nThe sea goes out\nand **comes** again\n")
    assert "The sea goes out<br>" in poem.html_sanitized
    line = "words that an editor wrapped at about seventy characters or so,"
    wrapped = read_paste(f"# Wrapped\n\n**So** {line}\n{line}\n{line}\nthe end.\n")
    assert "<br>" not in wrapped.html_sanitized
    assert "or so, words" in wrapped.canonical_text


@pytest.mark.parametrize(
    "attack",
    [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html,x)",
        "![a](javascript:alert(1))",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '[a](https://a.example/"onmouseover="alert(1))',
        "<javascript:alert(1)>",
        "[x]: javascript:alert(1)\n\n[x]",
    ],
)
def test_markdown_is_no_way_around_the_sanitizer(attack: str) -> None:
    page = read_paste(f"# Harmless\n\nSome **bold** words.\n\n{attack}\n")
    assert page.html_sanitized.startswith("<h1>Harmless</h1>")
    lowered = page.html_sanitized.lower()
    assert "<script" not in lowered
    assert 'href="javascript' not in lowered
    assert 'href="data:' not in lowered
    assert 'src="javascript' not in lowered
    assert "<img src=x" not in lowered
    assert 'onmouseover="' not in lowered
    assert sanitize_html(page.html_sanitized, "") == page.html_sanitized


@given(st.text(alphabet='#*_`[]()>-1. \n\tab|~<&:/="\\!', max_size=200))
def test_any_markdown_is_stable(text: str) -> None:
    page = read_paste(f"[a](https://a.example/) {text}")
    assert sanitize_html(page.html_sanitized, "") == page.html_sanitized
    assert canonicalize(page.html_sanitized) == page.canonical_text


@pytest.mark.processor_seconds(20)
@pytest.mark.parametrize(
    "piece",
    ["[", "![", "[](", "*a ", "**a", "_a ", "a**b", "`", "> ", "- ", "<", "&", "~~a", "|a", "```a\n", "# a\n\n"],
)
def test_what_would_take_long_to_parse_is_plain_text(piece: str) -> None:
    """Unbounded, some of these take a minute."""
    text = f"[a](https://a.example/) {piece * (200_000 // len(piece))}"
    assert read_paste(text).canonical_text
