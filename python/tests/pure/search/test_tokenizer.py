"""What is the same word, how a text is cut, what a question asks for, what a snippet shows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nexus.errors import InvalidQueryError
from nexus.services.search.passages import passages_of, vector_of
from nexus.services.search.query import Query, Term, read_query
from nexus.services.search.snippets import cut_snippet, mark
from nexus.services.search.tokenizer import MAX_WORD_CHARS, folded_words, words_of


def folded(text: str) -> list[str]:
    return [word.folded for word in words_of(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Café CAFE\u0301 cafe", ["cafe", "cafe", "cafe"]),
        ("Straße STRASSE ŁÓDŹ Ørsted œuvre", ["strasse", "strasse", "lodz", "orsted", "oeuvre"]),
        ("ΑΘΉΝΑ αθήνα ёлка Елка", ["αθηνα", "αθηνα", "елка", "елка"]),
        ("“don\u2019t” well-known foo_bar a/b", ["don", "t", "well", "known", "foo", "bar", "a", "b"]),
        ("東京へ", ["東", "京", "へ"]),
        ("ガラス カラス ｶﾞ", ["ガ", "ラ", "ス", "カ", "ラ", "ス", "カ", "\u3099"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("हिन्दी में।", ["हिन्दी", "में"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
        ("ﬁne Ⅷ 2026", ["fine", "viii", "2026"]),
        ("… — !?", []),
        ("x" * 5000, ["x" * MAX_WORD_CHARS]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert folded(text) == words


@given(st.text())
def test_the_quick_way_finds_the_same_words(text: str) -> None:
    assert folded_words(text) == [word.folded for word in words_of(text)]


@given(st.text())
def test_every_word_stands_where_it_says(text: str) -> None:
    end = 0
    for word in words_of(text):
        assert end <= word.start < word.end <= len(text)
        assert 0 < len(word.folded) <= MAX_WORD_CHARS
        end = word.end


@given(st.lists(st.tuples(st.sampled_from(["ab ", "東", "a\n", "x" * 50, ""]), st.integers(0, 5000)), max_size=4))
@settings(max_examples=30)
def test_passages_hold_every_word_in_order(made: list[tuple[str, int]]) -> None:
    texts = [text * times for text, times in made]
    passages = list(passages_of(enumerate(texts)))
    places = [(passage.first_fragment, passage.first_start) for passage in passages]
    assert places == sorted(set(places))
    assert all(0 <= start <= len(texts[fragment]) for fragment, start in places)
    for word in ("ab", "東", "a", "x" * MAX_WORD_CHARS):
        said = any(word in passage.vector for passage in passages)
        assert said == any(word in text for text in texts)


def test_long_line_is_cut_between_words() -> None:
    line = "word " * 3000
    passages = list(passages_of([(0, line)]))
    assert len(passages) == 4
    assert {vector.split(":")[0] for passage in passages for vector in passage.vector.split()} == {"'word'"}


def test_passage_runs_on_over_short_fragments() -> None:
    (passage,) = passages_of([(0, "They rot,"), (1, "as we know.")])
    assert passage == (0, 0, 1, "'they':1 'rot':2 'as':3 'we':4 'know':5")


def test_vector_keeps_no_more_places_than_postgresql_does() -> None:
    assert vector_of("a " * 300).count(",") == 254


@pytest.mark.parametrize(
    ("typed", "wanted", "unwanted"),
    [
        ("link rot", [Term(("link",)), Term(("rot",), is_prefix=True)], []),
        ("link rot ", [Term(("link",)), Term(("rot",))], []),
        ('"link rot', [Term(("link", "rot"))], []),
        ("„link rot“ x", [Term(("link", "rot")), Term(("x",))], []),
        ("cats -dogs", [Term(("cats",))], [Term(("dogs",))]),
        ('cats -"big dogs"', [Term(("cats",))], [Term(("big", "dogs"))]),
        ("well-known", [Term(("well", "known"), is_prefix=True)], []),
        ("東京", [Term(("東", "京"))], []),
        ("한", [Term(("한",), is_prefix=True)], []),
        ("a a A - & ?", [Term(("a",))], []),
        ("it's", [Term(("it", "s"))], []),
    ],
)
def test_questions(typed: str, wanted: list[Term], unwanted: list[Term]) -> None:
    assert read_query(typed) == Query(tuple(wanted), tuple(unwanted))


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Type a word"),
        (" \t", "Type a word"),
        ('-"!?" ...', "Type a word"),
        ("-cats", "only leaves out"),
        ("a\0b", "NUL"),
        ("x" * 10_000, "at most 500 characters"),
        (" ".join(f"w{n}" for n in range(21)), "at most 20 words"),
    ],
)
def test_questions_that_ask_nothing(typed: str, says: str) -> None:
    with pytest.raises(InvalidQueryError, match=says):
        read_query(typed)


def shown(text: str, typed: str) -> str:
    snippet = cut_snippet(text, read_query(typed).wanted)
    assert snippet is not None
    return "".join(f"[{segment.text}]" if segment.hit else segment.text for segment in snippet.segments)


def test_snippet_marks_what_was_asked_for() -> None:
    assert shown("The Café closes.", "cafe clo") == "The [Café] [closes]."
    assert shown("私は東京都に住む", "東京") == "私は[東京]都に住む"
    assert shown("Link rot is not linked rot", '"link rot"') == "[Link rot] is not linked rot"
    assert cut_snippet("Nothing of it", read_query("else").wanted) is None


def test_snippet_is_short_and_begins_where_most_stands_together() -> None:
    text = f"A cat. {'Words. ' * 200}\nHere a cat meets a dog. {'Words. ' * 200}"
    snippet = cut_snippet(text, read_query("cat dog").wanted)
    assert snippet is not None
    assert text[snippet.start :].startswith("cat meets")
    whole = "".join(segment.text for segment in snippet.segments)
    assert whole.startswith("… Here a cat meets a dog. Words.")
    assert whole.endswith(" …")
    assert len(whole) < 260


@given(st.text(alphabet="ab <&\n東x", max_size=2000), st.sampled_from(["ab", "a b", '"a b"', "東", "x -b"]))
def test_pieces_are_the_text(text: str, typed: str) -> None:
    terms = read_query(typed).wanted
    assert "".join(piece.text for piece in mark(text, terms)) == text
    snippet = cut_snippet(text, terms)
    if snippet:
        assert any(segment.hit for segment in snippet.segments)
        whole = "".join(segment.text for segment in snippet.segments).removeprefix("… ").removesuffix(" …")
        assert whole in text.replace("\n", " ")
