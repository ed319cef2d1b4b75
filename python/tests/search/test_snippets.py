"""The snippet of a text that is shown with a hit."""

import random

import pytest

from nexus.search.matching import Matcher
from nexus.search.query import read_query
from nexus.search.snippets import cut_snippet, mark


def hits(text: str, typed: str, lang: str | None = "en") -> list[str]:
    return [segment.text for segment in mark(text, Matcher(read_query(typed), lang)) if segment.hit]


@pytest.mark.parametrize(
    ("text", "typed", "marked"),
    [
        ("She ran, was running and runs", "running ", ["running", "runs"]),
        ("Ein Café", "cafe ", ["Café"]),
        ("lighthouse keepers", "light", ["lighthouse"]),
        ("the wind and the sea wind", '"sea wind"', ["sea wind"]),
        ("run and running", '"running"', ["running"]),
        ("C, C++ and C#", "C++ ", ["C++"]),
        ("东京的图书馆", "图书馆 ", ["图书馆"]),
        ("我们在研究机器学习。他们也学习", "研究机器学习 ", ["研究机器学习", "学习"]),
        ("نبينا ﷺ قال", "ﷺ ", ["ﷺ"]),
        ("nothing here", "else ", []),
        ("wind -- no calm", "wind -calm ", ["wind"]),
    ],
)
def test_the_words_that_were_found_are_marked(text: str, typed: str, marked: list[str]) -> None:
    assert hits(text, typed) == marked
    assert "".join(segment.text for segment in mark(text, Matcher(read_query(typed), "en"))) == text


def test_a_snippet_is_cut_where_most_terms_are_together() -> None:
    text = "wind. " + "nothing of interest " * 40 + "the wind over the sea " + "and so on " * 40
    snippet = cut_snippet(text, Matcher(read_query("wind sea "), "en"))
    assert snippet is not None
    assert [segment.text for segment in snippet.segments if segment.hit] == ["wind", "sea"]
    assert text[snippet.start :].startswith("wind over")
    assert len("".join(segment.text for segment in snippet.segments)) < 260
    assert cut_snippet("nothing", Matcher(read_query("wind "), "en")) is None


def test_a_snippet_of_a_long_text_without_spaces() -> None:
    text = "他们昨天去了公园。" * 400 + "我们在研究机器学习模型" + "。然后回家了。" * 400
    snippet = cut_snippet(text, Matcher(read_query("怎样研究机器学习 "), "zh"))
    assert snippet is not None
    assert [segment.text for segment in snippet.segments if segment.hit] == ["研究机器学习"]
    assert text[snippet.start :].startswith("研究机器学习模型")


# Written in several ways, some of which cannot be folded letter by letter.
WRITTEN = ("wind", "Winds", "windmill", "Café", "cafe\u0301", "Straße", "C++", "naïve", "of", "the", "sea.", "deep—sea")


@pytest.mark.parametrize(
    "typed", ["wind ", "winds sea ", "cafe ", '"the sea"', "strasse ", "C++ ", "naive wind", "win*"]
)
def test_what_is_marked_in_a_long_text_is_what_was_found(typed: str) -> None:
    """Long texts are not split into words: the words are searched for as strings."""
    chance = random.Random(2)
    matcher = Matcher(read_query(typed), "en")
    for _ in range(40):
        text = " ".join(chance.choices(WRITTEN, weights=[1] * 8 + [200] * 4, k=chance.randint(60, 400)))
        everywhere = list(matcher.all_spans(text))
        found = matcher.spans(text)
        assert bool(found) == bool(everywhere), text
        assert set(found) <= set(everywhere)
        snippet = cut_snippet(text, matcher)
        assert (snippet is not None) == bool(everywhere)


def test_a_word_is_found_wherever_a_frequent_one_stands() -> None:
    text = "the day and the night " * 400 + "the lighthouse " + "and the day " * 400
    snippet = cut_snippet(text, Matcher(read_query("the lighthouse "), "en"))
    assert snippet is not None
    assert "lighthouse" in [segment.text for segment in snippet.segments if segment.hit]


def test_the_stop_words_of_a_question_do_not_choose_the_snippet() -> None:
    text = "This is how it is and what it does. " * 60 + "Birds find their way by the stars. " + "It is so. " * 60
    snippet = cut_snippet(text, Matcher(read_query("what is it and how do birds find the way "), "en"))
    assert snippet is not None
    assert text[snippet.start :].startswith("Birds find")
