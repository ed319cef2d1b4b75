"""Where a quote is in another reading of its text; never at other words."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nexus.text.quotes.find_quote import SHORT_CHARS, Quote, SearchedText
from nexus.text.quotes.joined_text import CONTEXT_CHARS, Span
from nexus.text.quotes.similarity import MIN_SIMILARITY, can_be_alike, similarity

# fmt: off
WORDS = st.sampled_from([
    "the", "a", "of", "sea", "ship", "keeper", "ledger", "tower,", "light.", "house", "\n\n", "Nobody,", "read:",
    "forty", "vessels:", "שלום", "船", "灯台", "🙂", "e\u0301t",
])
# fmt: on
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)


def common(one: str, other: str) -> int:
    """The textbook's longest common subsequence."""
    row = [0] * (len(other) + 1)
    for char in one:
        above = row
        row = [0]
        for at, each in enumerate(other):
            row.append(above[at] + 1 if char == each else max(row[at], above[at + 1]))
    return row[-1]


def alike(one: str, other: str) -> float:
    return 2 * common(one, other) / (len(one) + len(other))


def quote_at(text: str, start: int, end: int) -> Quote:
    before = text[max(0, start - CONTEXT_CHARS) : start]
    return Quote(text[start:end], before, text[end : end + CONTEXT_CHARS], start / max(1, len(text)))


def of(text: str, words: str) -> Quote:
    start = text.index(words)
    return quote_at(text, start, start + len(words))


def found(new: str, quote: Quote) -> str | None:
    place = SearchedText(new).find(quote)
    return None if place is None else new[place.start : place.end]


@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_the_textbooks(one: str, other: str) -> None:
    if one or other:
        assert similarity(one, other) == pytest.approx(alike(one, other))
        assert can_be_alike(len(one), len(other)) or similarity(one, other) < MIN_SIMILARITY


@given(TEXTS, st.data())
def test_the_same_text_has_it_at_its_place(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = quote_at(text, start, end)
    place = SearchedText(text).find(quote)
    assert place == Span(start, end) or not text[start:end].strip()


@settings(max_examples=300)
@given(TEXTS, TEXTS, TEXTS, st.data())
def test_it_follows_what_is_written_before_and_after_it(
    text: str, before: str, after: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    new = f"{before}\n{text}\n{after}"
    where = found(new, quote_at(text, start, end))
    assert where == text[start:end] or not text[start:end].strip()


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and another with some words less, more or changed."""
    words = draw(st.lists(WORDS, min_size=1, max_size=80))
    changed: list[str] = []
    for word in words:
        kind = draw(st.sampled_from(["same"] * 8 + ["gone", "other", "more", "spelt"]))
        if kind == "gone":
            continue
        changed += {"same": [word], "other": [draw(WORDS)], "more": [word, draw(WORDS)], "spelt": [word + "s"]}[kind]
    return " ".join(words), " ".join(changed)


@settings(max_examples=400)
@given(edited(), st.data())
@example(("ship", "ships"), None)
def test_never_other_words(texts: tuple[str, str], data: st.DataObject | None) -> None:
    old, new = texts
    start = data.draw(st.integers(0, len(old) - 1)) if data else 0
    end = data.draw(st.integers(start + 1, len(old))) if data else len(old)
    where = found(new, quote_at(old, start, end))
    assert where is None or alike(old[start:end], where) >= MIN_SIMILARITY


@settings(max_examples=200)
@given(st.text(max_size=120), st.text(max_size=60), st.text(max_size=64), st.text(max_size=64), st.floats(0, 1))
def test_never_other_words_whatever_is_looked_for(new: str, words: str, prefix: str, suffix: str, share: float) -> None:
    where = found(new, Quote(words, prefix, suffix, share))
    assert where is None or (bool(words.strip()) and alike(words, where) >= MIN_SIMILARITY)


STORY = (
    "The lighthouse was built in a single summer. Its keeper counted the ships that passed, and wrote each of them "
    "down in a ledger. Nobody read the ledger until the tower was sold. Then a schoolteacher found in it the names of "
    "forty vessels that no other record knows. The ledger is now kept in the town's library."
)


@pytest.mark.parametrize(
    ("quote", "change", "expected"),
    [
        ("Nobody read the ledger until the tower was sold.", ("Nobody read", "No one read"),
         "No one read the ledger until the tower was sold."),
        ("Nobody read the ledger until the tower was sold.", ("until the tower", "until, in 1931, the tower"),
         "Nobody read the ledger until, in 1931, the tower was sold."),
        ("keeper counted the ships that passed", ("counted", "counted all"),
         "keeper counted all the ships that passed"),
        ("Then a schoolteacher found in it the names of forty vessels", ("a schoolteacher found", "a teacher found"),
         "Then a teacher found in it the names of forty vessels"),
        ("forty vessels", ("forty vessels", "forty vesels"), "forty vesels"),
        ("ighthouse was built in a single summ", ("single", "short"), "ighthouse was built in a short summ"),
        ("Nobody read the ledger until the tower was sold.", ("Nobody read the ledger until the tower was sold. ", ""),
         None),
        ("forty", ("forty vessels that no other record", "many vessels that no other record"), None),
    ],
)  # fmt: skip
def test_small_changes(quote: str, change: tuple[str, str], expected: str | None) -> None:
    new = "A new beginning. " + STORY.replace(*change)
    assert new != "A new beginning. " + STORY
    assert found(new, of(STORY, quote)) == expected


def test_of_several_the_one_in_the_same_context() -> None:
    lines = [f"Chapter {number}: see the note about {name} there.\n" for number, name in enumerate("abcdefghijklmnop")]
    text = "".join(lines)
    for number, line in enumerate(lines):
        quote = quote_at(text, text.index(line) + line.index("see the note"), text.index(line) + line.index(" about"))
        new = "Preface. " * 40 + text.replace("Chapter 3", "Chapter III")
        place = SearchedText(new).find(quote)
        assert place is not None
        assert new[: place.start].endswith(line[: line.index("see")] if number != 3 else "Chapter III: ")


def test_a_frequent_short_word_does_not_jump_to_another_sentence() -> None:
    text = "It was late when the ship came in. " + "Nothing else was said about it, or so it seems. " * 300
    quote = quote_at(text, text.index("ship"), text.index("ship") + 4)
    assert found(text.replace("It was late when the ship came in. ", "") + " A ship.", quote) is None
    assert len(quote.text) < SHORT_CHARS


def test_no_word_of_a_deleted_paragraph_goes_to_an_unrelated_one() -> None:
    deleted = (
        "The keeper of the tower counted every ship that passed, and he wrote the name of each of them down in the "
        "ledger. "
    )
    unrelated = (
        "The price of bread was raised again in the spring, and the council asked for the opinion of the bakers of the "
        "town. Most of them said that the harvest of the year before had been the worst since the war, and that the "
        "mills had closed. In the end the mayor wrote a letter to the minister, who sent it on to the office of the "
        "prefect without a word of his own. "
    )
    words = [(word.start(), word.end()) for word in re.finditer(r"\w+", deleted)]
    quotes = [quote_at(deleted + unrelated, *word) for word in words]
    assert [quote.text for quote in quotes if found(unrelated, quote) is not None] == []


def test_of_one_character_all_over() -> None:
    """rfind() would compare 25 000 characters at each of 600 000 places."""
    text = "a" * 600_000
    assert SearchedText(text).find(Quote("a" * 25_000 + "b" + "a" * 24_999, "", "", 0.9)) is None
    assert SearchedText(text).find(Quote("a" * 40, "", "", 0.5)) == Span(300_000, 300_040)
    places = [at for at in range(100) if SearchedText("ab" * 50).find(Quote("b", "", "", at / 100)) is not None]
    assert len(places) == 100


def test_long_quotes_of_long_texts() -> None:
    words = [f"word{number % 977} of{number % 13}" for number in range(20_000)]
    old = " ".join(words)
    new = " ".join("new" if number % 40 == 7 else word for number, word in enumerate(words))
    quote = quote_at(old, 60_000, 100_000)
    where = found(new, quote)
    assert where is not None
    assert similarity(quote.text, where) > 0.9
    assert all(one != other for one, other in pairwise([where[:50], where[-50:]]))
