"""What a search finds, and in which order."""

from pathlib import Path

import pytest

from nexus.errors import InvalidQueryError
from nexus.search import ranking
from nexus.search.index import LibraryIndex
from nexus.search.languages import guess_language
from nexus.search.query import (
    LONG_QUERY_WORDS,
    MAX_PAIRS,
    MAX_PHRASE_CHARS,
    MAX_PHRASE_WORDS,
    MAX_PHRASES,
    MAX_PREFIXES,
    MAX_TERMS,
    read_query,
    split_group,
)
from tests.search.small_index import SmallIndex

MANY_CHARACTERS = "".join(map(chr, range(0x4E00, 0x4E00 + 4096)))


@pytest.fixture
def small(tmp_path: Path) -> SmallIndex:
    return SmallIndex(tmp_path / "index")


@pytest.mark.parametrize(
    ("lang", "text", "typed"),
    [
        ("en", "She was running in new shoes", "run shoe "),
        ("de", "Die Häuser am Fluss wurden verkauft", "haus verkaufen "),
        ("fr", "Les chevaux mangeaient des pommes", "cheval mangeait "),
        ("es", "Las ciudades crecieron rápidamente", "ciudad rapidamente "),
        ("ru", "Мы читали новые книги", "книга "),
        ("sv", "Flickorna läste böckerna", "flickor "),
        ("el", "Διαβάζω βιβλία κάθε μέρα", "βιβλίο "),
        ("ar", "قرأت الكتاب في المكتبة", "كتاب "),
        ("zh", "我们在研究机器学习和自然语言", "机器学习 "),
        ("ja", "東京の図書館で本を読む", "図書館 "),
        ("th", "ฉันอ่านหนังสือที่ห้องสมุด", "หนังสือ "),
        ("he", "קראתי ספר חדש", "ספר "),
        (None, "Nobody knows what language this is", "language "),
    ],
)
def test_words_are_found_in_their_language(small: SmallIndex, lang: str | None, text: str, typed: str) -> None:
    small.add("it", text, lang=lang)
    small.add("other", "Something else entirely", lang="en")
    assert small.search(typed) == ["it"]


def test_accents_and_case_do_not_matter(small: SmallIndex) -> None:
    small.add("it", "A CAFÉ in Zürich")
    assert small.search("cafe zurich ") == small.search("Café ZÜRICH ") == ["it"]


def test_headings_and_tags_count_more_than_the_text(small: SmallIndex) -> None:
    text = "of lamps, ropes and the lighthouse by the sea"
    small.add("in the text", text)
    small.add("under a heading", text, headings="The lighthouse")
    small.add("in the title", text, title="The lighthouse")
    assert small.search("lighthouse ") == ["in the title", "under a heading", "in the text"]


def test_a_site_and_an_author_are_words_too(small: SmallIndex) -> None:
    small.add("it", "the kernel", site="lwn.net", author="Zoë Ann Lee")
    small.add("other", "the kernel of a nut")
    for typed in ("lwn ", "lee kernel ", "zoe ann "):
        assert small.search(typed)[0] == "it", typed


def test_what_a_question_says_twice_counts_twice(small: SmallIndex) -> None:
    for number in range(4):
        small.add(f"filling {number}", "anything else that was written by somebody")
    small.add("ships", "ships and harbours of old")
    small.add("lamps", "lamps and mirrors of old")
    once = "which harbours mirrors captains keepers painters "
    assert small.search(f"{once}harbours ")[0] == "ships"
    assert small.search(f"{once}mirrors ")[0] == "lamps"


def test_all_words_come_before_some_and_some_before_none(small: SmallIndex) -> None:
    small.add("some", "wind " * 30)
    small.add("all", "the wind was over the sea")
    small.add("none", "nothing of the kind")
    assert small.search("wind sea ") == ["all", "some"]


def test_a_title_counts_more_for_a_few_words(small: SmallIndex) -> None:
    small.add("text", "the lighthouse, a lighthouse and another lighthouse by the sea")
    small.add("title", "it stands by the sea", title="The lighthouse")
    assert small.search("lighthouse ") == ["title", "text"]


def test_a_long_question_finds_what_it_is_about(small: SmallIndex) -> None:
    small.add("it", "Lighthouses were painted white so that ships would see them by day.")
    small.add("other", "What is the best of all questions? Why do we have to be what we are?")
    assert small.search("what is the reason why the lighthouses have been painted? ")[0] == "it"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ('"running shoes" ', ["exact"]),
        ('"run shoe" ', []),
        ("shoes -running ", ["turned", "other"]),
        ("boots OR sandals ", ["other"]),
        ("sho", ["exact", "turned", "other"]),
        ("in:title shoes ", ["other"]),
    ],
)
def test_syntax(small: SmallIndex, typed: str, found: list[str]) -> None:
    small.add("exact", "he bought running shoes")
    small.add("turned", "the shoes were for a run")
    small.add("other", "they are sandals", title="Shoes")
    assert sorted(small.search(typed)) == sorted(found)


@pytest.mark.parametrize(
    "typed", ["C++", "C++ ", "useState", "foo_bar", "v2.1", "node.js ", "std::move", "utf-8", "#python"]
)
def test_names_are_found_as_they_are_written(small: SmallIndex, typed: str) -> None:
    small.add("it", f"An essay about {typed.strip()}, mostly.")
    small.add("near", "C and use state, foo bar, v2 and 1, node and js, std or move, utf and 8 and python's friend.")
    assert small.search(typed)[0] == "it"


def test_a_misspelt_word_finds_its_neighbour_and_says_so(small: SmallIndex) -> None:
    small.add("it", "The lighthouse keeper wrote letters")
    for typed in ("ligthouse ", "lighthuose ", "lighhouse "):
        assert small.search(typed) == ["it"]
        assert small.corrected(typed) == {typed.strip(): "lighthouse"}
    assert small.search("lamphouse ") == []
    assert small.corrected("lighthouse ") == {}
    assert small.search('"ligthouse" ') == []


def test_filters(small: SmallIndex) -> None:
    facts = {"site": "www.lwn.net", "author": "Zoë Ann Lee", "tags": ["Work/To read"], "states": ["unread", "starred"]}
    small.add("it", "the kernel", **facts)
    small.add("other", "the kernel", kind="podcast_episode", lang="de", states=["archived", "read"])
    for typed in (
        "site:lwn.net", "author:zoe author:lee", "tag:work", 'tag:"work/to read"', "is:unread", "is:starred",
        "-is:read", "kind:web_article", "lang:en", "before:2024-01-03", "-kind:podcast_episode", "-is:archived",
    ):  # fmt: skip
        assert small.search(f"kernel {typed} ") == small.search(typed) == ["it"], typed
    assert small.search("kernel after:2024-01-03 ") == small.search("is:read ") == ["other"]
    assert small.search("kernel site:nowhere.org ") == []


def test_notes_and_highlights_are_searched(small: SmallIndex) -> None:
    small.add("noted", "words of a text", notes="ask about perihelion")
    small.add("marked", "words of a text", highlights="words\nwhy perihelion matters", states=["highlighted"])
    small.add("text", "the perihelion of a comet")
    assert sorted(small.search("perihelion ")) == ["marked", "noted", "text"]
    assert small.search("perihelion in:notes ") == ["noted"]
    assert small.search("perihelion in:highlights ") == small.search("perihelion is:highlighted ") == ["marked"]
    assert small.search("in:text perihelion ") == ["text"]


def test_newest_first_when_asked(small: SmallIndex) -> None:
    small.add("older", "wind wind wind")
    small.add("newer", "a little wind among many other words")
    assert small.search("wind ") == ["older", "newer"]
    assert small.search("wind ", "newest") == ["newer", "older"]


def test_an_entry_that_is_written_again_or_removed(small: SmallIndex) -> None:
    small.add("it", "first words")
    small.add("it", "second thoughts")
    assert [small.search("first "), small.search("second ")] == [[], ["it"]]
    small.remove("it")
    assert small.search("second ") == []


def test_another_process_sees_what_is_committed(small: SmallIndex, tmp_path: Path) -> None:
    other = LibraryIndex(tmp_path / "index")
    assert other.snapshot().entries == 0
    small.add("it", "words")
    assert other.snapshot().entries == 1


def test_facets(small: SmallIndex) -> None:
    small.add("one", "wind", site="a.org", tags=["sea"])
    small.add("two", "wind", site="a.org", tags=["sea/north"])
    small.add("three", "calm", site="b.org")
    snapshot = small.index.snapshot()
    summary = snapshot.summary(snapshot.prepare(read_query("wind ")), ("site", "tag", "kind", "year"))
    assert summary.total == 2
    found = summary.facets
    assert found["site"] == [("a.org", 2)]
    assert found["tag"] == [("sea", 2), ("sea/north", 1)]
    assert found["kind"] == [("web_article", 2)]
    assert found["year"] == [("2024", 2)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The keeper wrote letters to the people of the town, and it was good.", "en"),
        ("Der Wärter schrieb Briefe an die Leute in der Stadt, und es war gut.", "de"),
        ("Le gardien a écrit des lettres aux gens de la ville et il était content.", "fr"),
        ("El guardián escribió cartas a la gente de la ciudad y era feliz.", "es"),
        ("Мы читали новые книги, и они были очень интересные для всех нас.", "ru"),
        ("Too short", None),
        ("kernel panic stack trace address register thread pointer offset", None),
        ("東京の図書館で本を読む", None),
    ],
)
def test_the_language_of_a_text_that_does_not_say(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_a_text_without_a_language_does_not_come_first_for_that(small: SmallIndex) -> None:
    for number in range(30):
        small.add(f"known {number}", "libraries keep books " + "and many other things " * number, lang="en")
    small.add("unknown", "libraries " + "of something else entirely " * 60, lang="xx")
    assert small.search("libraries books ")[0] == "known 0"
    assert small.search("libraries ")[-1] == "unknown"


def test_only_so_many_entries_are_compared_place_by_place(small: SmallIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    small.add("as typed", "the wind over the water")
    small.add("in another order", "over wind and water the")
    typed = '"wind over" "the water" '
    assert small.search(typed) == ["as typed"]
    monkeypatch.setattr(ranking, "MAX_COMPARED", 1)
    assert small.search(typed) == ["as typed", "in another order"], "the first phrase alone is compared"
    assert small.search('"wind over" ') == ["as typed"]


def test_of_a_long_query_the_most_frequent_words_are_left_out(
    small: SmallIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    rare = [f"rare{number}" for number in range(LONG_QUERY_WORDS)]
    small.add("it", " ".join(rare))
    small.add_all((f"text {number}", "lamp rope", {}) for number in range(20))
    for typed in (" ".join(["lamp", *rare, "rope "]), " OR ".join(["lamp", *rare, "rope "])):
        monkeypatch.setattr(ranking, "MAX_ENTRIES", 100)
        assert len(small.search(typed)) == 21
        monkeypatch.setattr(ranking, "MAX_ENTRIES", 10)
        assert small.search(typed) == ["it"]
    monkeypatch.setattr(ranking, "MAX_ENTRIES", 1)
    assert len(small.search("lamp rope ")) == 20, "not of a few words"


def test_a_query_counts_only_so_many_terms(small: SmallIndex) -> None:
    words = " ".join(f"word{number}" for number in range(MAX_TERMS + 10))
    assert len(read_query(words).groups) == MAX_TERMS
    assert len(read_query(" OR ".join(f"word{number}" for number in range(MAX_TERMS + 10))).groups[0]) == MAX_TERMS
    assert sum(group[0].is_prefix for group in read_query("aaaa* bbbb* cccc* dddd* eeee* ").groups) == MAX_PREFIXES
    short = read_query("aa* bb* ccc* dddd* ")
    assert [group[0].is_prefix for group in short.groups] == [True, False, False, True]
    phrases = " ".join(f'"word {number}"' for number in range(MAX_PHRASES + 5))
    assert len(read_query(phrases).groups) == MAX_PHRASES


def test_a_phrase_has_only_so_many_words() -> None:
    (phrase,) = read_query('"' + "wind sea " * 450 + '"').groups[0]
    assert phrase.words == ("wind", "sea") * (MAX_PHRASE_WORDS // 2)
    (open_run,) = read_query("-".join(["wind"] * 800)).groups[0]
    assert (len(open_run.words), open_run.is_prefix) == (MAX_PHRASE_WORDS, False), "its last word is another one"
    (unspaced,) = read_query(f'"{MANY_CHARACTERS[:4094]}"').groups[0]
    assert len(unspaced.words) == MAX_PHRASE_CHARS


def test_a_long_phrase_costs_more_to_compare(small: SmallIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    small.add("as typed", "the wind over the calm sea")
    small.add("in another order", "over wind the sea calm")
    typed = '"the wind over" "calm sea" '
    monkeypatch.setattr(ranking, "MAX_COMPARED", 7)
    assert small.search(typed) == ["as typed"]
    monkeypatch.setattr(ranking, "MAX_COMPARED", 6)
    assert sorted(small.search(typed)) == ["as typed", "in another order"]


def test_a_long_run_of_characters_is_split_into_few_pairs(small: SmallIndex) -> None:
    (group,) = read_query(MANY_CHARACTERS).groups
    assert len(list(split_group(group))) == MAX_PAIRS
    small.add("it", MANY_CHARACTERS[:10])
    assert small.search(MANY_CHARACTERS) == ["it"]


@pytest.mark.parametrize("typed", ["ـ", "\u0301", "ﱞ"])
def test_what_is_left_out_of_words_is_none(small: SmallIndex, typed: str) -> None:
    small.add("it", "words of all kinds")
    with pytest.raises(InvalidQueryError):
        read_query(typed)
    assert small.search(f"kinds {typed}") == ["it"]
    assert small.search(f"author:{typed} ") == []


def test_a_letter_with_an_accent_is_no_prefix(small: SmallIndex) -> None:
    small.add("it", "elephants everywhere")
    assert small.search("é") == small.search("e") == []


def test_a_character_that_is_several_words(small: SmallIndex) -> None:
    small.add("it", "محمد ﷺ", lang="ar")
    small.add("written out", "محمد صلى الله عليه وسلم", lang="ar")
    small.add("other", "محمد", lang="ar")
    assert sorted(small.search("ﷺ ")) == sorted(small.search('"صلى الله عليه وسلم" ')) == ["it", "written out"]


def test_a_rare_misspelt_word_also_finds_itself(small: SmallIndex) -> None:
    small.add("as typed", "the ligthouse")
    small.add_all((f"meant {number}", f"the lighthouse {number}", {}) for number in range(25))
    assert small.corrected("ligthouse ") == {"ligthouse": "lighthouse"}
    found = small.search("ligthouse ")
    assert (found[0], len(found)) == ("as typed", 26)


def test_related_texts_are_found_however_often_one_was_written(small: SmallIndex) -> None:
    alone = " ".join(f"alone{number}" for number in range(60))
    texts = {"one": "comets and their tails", "two": "tails of comets", "three": f"bread, baked slowly {alone}"}
    small.add_all((name, text, {}) for name, text in texts.items())
    small.add("one", texts["one"], tags=["a"])
    assert related(small, texts["one"]) == {"one", "two"}
    small.add("four", "to bake bread")
    small.add("three", texts["three"], tags=["a"])
    assert related(small, texts["three"]) == {"three", "four"}, "not only by words of its own"


def related(small: SmallIndex, text: str) -> set[str]:
    return {small.names[media_id] for media_id in small.index.snapshot().related(text, "en", limit=5)}
