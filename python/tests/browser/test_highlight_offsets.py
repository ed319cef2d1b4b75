"""What is selected in a real browser, and the canonical text that Python has: each leads to the other, exactly."""

import re
import subprocess
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from nexus.text.canonical_text import NON_SPACE_CONTROLS, canonicalize
from nexus.text.sanitize import sanitize_html
from tests.pure.html_soup import SOUP

VIEWER = Path(__file__).parents[3] / "apps" / "viewer"
BUILD = [
    "node_modules/.bin/rolldown", "src/highlights/shown-text.ts", "--format", "iife", "--name", "viewer",
    "--tsconfig", "tsconfig.json",
]  # fmt: skip
# `spans`: offsets of the canonical text, found on the page and read from there again. `picks`: two points of the page,
# by the number of the text node and of the character in it, as a selection has them.
ASK = """({ html, text, spans, picks }) => {
  const body = document.createElement('div');
  body.innerHTML = '<div class="prose"></div>';
  body.firstChild.innerHTML = html;
  document.body.replaceChildren(body);
  const shown = new viewer.ShownText(body, [{ id: 'f', idx: 0, canonical_text: text }]);
  const at = (offset) => ({ fragment_idx: 0, offset });
  const again = spans.map(([start, end]) => {
    const [range] = shown.rangesOf({ start: at(start), end: at(end) });
    return range ? shown.passageOf(range) : null;
  });
  const nodes = [];
  for (const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT); walker.nextNode(); )
    nodes.push(walker.currentNode);
  const pointAt = ([node, character]) => {
    const found = nodes[node % nodes.length];
    const characters = [...found.data];
    return [found, characters.slice(0, character % (characters.length + 1)).join('').length];
  };
  const picked = (nodes.length ? picks : []).map(([one, other]) => {
    const range = document.createRange();
    range.setStart(...pointAt(one));
    const end = pointAt(other);
    if (range.comparePoint(...end) < 0) range.setStart(...end);
    else range.setEnd(...end);
    return { passage: shown.passageOf(range), words: range.toString() };
  });
  return { again, picked };
}"""
MARKS = "\u0301\u0327\u05b8\u064b\u3099"
KOREAN = "한각\u1100\u1161\u11a8"
WORDS = st.text(st.sampled_from(f"ab  é{MARKS}{KOREAN}שלםمرحبが\u200d\u00a0\t\n\u0085\x01🦓👩\U0001f3fd"), max_size=12)
INLINE = st.sampled_from(["<b>{}</b>", "<em>{}</em>", "{}", "<code>{}</code>", "<a href='https://e.example/'>{}</a>"])
BLOCK = st.sampled_from(
    [
        "<p>{}</p>",
        "<p dir=rtl>{}</p>",
        "<ul><li>{}<li>{}</ul>",
        "<table><tr><td>{}<td><p>{}</p><tr><th>{}</table>",
        "<pre>{}\n{}</pre>",
        "<blockquote>{}<br>{}</blockquote>",
        "<h2>{}</h2>",
        "{}",
    ]
)
NUMBER = st.integers(0, 1000)
PICKS = st.lists(st.tuples(st.tuples(NUMBER, NUMBER), st.tuples(NUMBER, NUMBER)), max_size=6)


@st.composite
def texts(draw: st.DrawFn) -> str:
    blocks = [draw(BLOCK) for _ in range(draw(st.integers(1, 4)))]
    runs = [[draw(INLINE).format(draw(WORDS)) + draw(WORDS) for _ in range(block.count("{}"))] for block in blocks]
    return "".join(block.format(*run) for block, run in zip(blocks, runs, strict=True))


@pytest.fixture(scope="module")
def script() -> str:
    return subprocess.run(BUILD, cwd=VIEWER, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def host(page: Page, script: str) -> Page:
    page.evaluate(f"() => {{ {script}; window.viewer = viewer; }}")
    return page


def is_joined(character: str) -> bool:
    """To the one before it: a mark, or a part of a Korean syllable. A highlight has all of a letter or nothing."""
    return unicodedata.category(character).startswith("M") or "\u1100" <= character <= "\u11ff"


def spans_of(text: str, numbers: list[tuple[int, int]]) -> list[tuple[int, int]]:
    starts = [at for at, one in enumerate(text) if not one.isspace() and not is_joined(one)]
    ends = [
        at + 1
        for at, one in enumerate(text)
        if not one.isspace() and (at + 1 == len(text) or not is_joined(text[at + 1]))
    ]
    if not starts or not ends:
        return []
    spans = [(starts[one % len(starts)], ends[other % len(ends)]) for one, other in numbers]
    return [(start, end) for start, end in spans if start < end]


def letters(words: str) -> Counter[str]:
    """In any order: a browser says the words of two blocks without what is between them, and marks are sorted again."""
    return Counter(unicodedata.normalize("NFD", re.sub(rf"[{NON_SPACE_CONTROLS}]|\s", "", words)))


def check_picked(text: str, passage: dict[str, Any] | None, words: str) -> None:
    if passage is None:
        assert not letters(words)
        return
    assert passage["quote"] == text[passage["start"]["offset"] : passage["end"]["offset"]]
    assert passage["quote"] == passage["quote"].strip()
    assert not letters(words) - letters(passage["quote"]), "words are missing"
    more = letters(passage["quote"]) - letters(words)
    assert sum(count for one, count in more.items() if not is_joined(one)) <= 1, "more than the rest of a letter"


@given(texts() | SOUP, st.lists(st.tuples(NUMBER, NUMBER), max_size=8), PICKS)
@example("<p>🦓 a <b>e</b>\u0301 b</p>", [(0, 1), (1, 3), (2, 2)], [((0, 2), (1, 1))])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_selections_and_offsets_lead_to_each_other(
    host: Page, html: str, numbers: list[tuple[int, int]], picks: list[Any]
) -> None:
    sanitized = sanitize_html(html, "https://e.example/")
    text = canonicalize(sanitized)
    spans = spans_of(text, numbers)
    found = host.evaluate(ASK, {"html": sanitized, "text": text, "spans": spans, "picks": picks})
    for (start, end), again in zip(spans, found["again"], strict=True):
        assert again == {
            "start": {"fragment_idx": 0, "offset": start},
            "end": {"fragment_idx": 0, "offset": end},
            "quote": text[start:end],
            "prefix": text[:start][-64:],
            "suffix": text[end:][:64],
        }
    for picked in found["picked"]:
        check_picked(text, **picked)
