"""A new reading of a page against the text that is there: a table of what happens to pages."""

from typing import Any

import pytest

from nexus.text.readings import compare as comparison
from nexus.text.readings.compare import MAX_CHARS, Change, Reading, compare, is_same_page

MIN_CHARS = 600
PARAGRAPHS = [
    f"The council of district {name} met on a {day} to talk about its {subject}. After {hours} hours the members"
    f" agreed that the {subject} of {name} needs money that nobody has, and that a committee is to find it by {month}."
    for name, day, subject, hours, month in (
        ("Northfield", "Monday", "bridges", "two", "April"),
        ("Eastwick", "Tuesday", "schools", "three", "May"),
        ("Southmoor", "Wednesday", "buses", "four", "June"),
        ("Westgate", "Thursday", "libraries", "five", "July"),
        ("Hilltop", "Friday", "swimming pools", "six", "August"),
        ("Riverside", "Saturday", "cycle paths", "seven", "September"),
        ("Oldtown", "Sunday", "street lamps", "eight", "October"),
        ("Newtown", "Monday evening", "playgrounds", "nine", "November"),
    )
]
ARTICLE = "\n".join(PARAGRAPHS)
LINKS = "\n".join(f"More from us: story number {number} of the week" for number in range(12))
COMMENTS = "\n".join(f"Reader {number}: I was there and it was not like that at all." for number in range(12))
TEASER = PARAGRAPHS[0] + "\nSubscribe now to read the rest of this story, and support the work of our newsroom."
OFFER = "\n".join(
    f"Choice {number}: read with advertising, or take the subscription without any tracking for a small fee."
    for number in range(9)
)
GERMAN = "Über die Brücken größerer Städte spricht man überall gern, auch für ältere Gäste ist das schön. " * 10
MOJIBAKE = GERMAN.encode().decode("cp1252")
CHINESE = "".join(f"第{number}条新闻说城市委员会讨论了桥梁和学校和图书馆的费用决定明年再议。" for number in range(30))
CAPTCHA = (
    "Just a moment...\nChecking your browser before accessing the site.\n"
    + "Protection against automated requests. " * 22
)
START_PAGE = "\n".join(f"Headline {number} about another thing that happened today" for number in range(40))
TYPO = ARTICLE.replace("Eastwick", "Eastwyck")

CASES: list[tuple[str, str, str, Change]] = [
    ("nothing changed", ARTICLE, ARTICLE, "same"),
    ("only white space changed", ARTICLE, ARTICLE.replace("\n", "\n\n ").replace(". ", ".\u00a0 "), "same"),
    ("a corrected typo", ARTICLE, TYPO, "different"),
    ("a corrected figure", ARTICLE, ARTICLE.replace("seven", "eight"), "different"),
    ("a sentence was taken out", ARTICLE, ARTICLE.replace(PARAGRAPHS[3].split(". ")[0] + ". ", ""), "different"),
    ("a paragraph was added at the end", ARTICLE, ARTICLE + "\n" + PARAGRAPHS[0].replace("met", "meets"), "better"),
    ("the whole article instead of its start", "\n".join(PARAGRAPHS[:4]), ARTICLE, "better"),
    ("the start of the article instead of all of it", ARTICLE, "\n".join(PARAGRAPHS[:4]), "worse"),
    ("a paywall", ARTICLE, TEASER, "worse"),
    ("a longer offer instead of the article", ARTICLE, OFFER, "worse"),
    ("a start page that is as long", ARTICLE, START_PAGE + "\n" + LINKS, "worse"),
    ("an error in few words", ARTICLE, "This page is gone.", "worse"),
    ("related links were lost", ARTICLE + "\n" + LINKS[:300], ARTICLE, "different"),
    ("some comments were lost", f"{ARTICLE}\n{COMMENTS}", f"{ARTICLE}\n{COMMENTS[:500]}", "different"),
    ("comments came", ARTICLE, f"{ARTICLE}\n{COMMENTS}", "better"),
    ("another article of the same size", ARTICLE, "Nothing of this was there before, dear readers. " * 60, "different"),
    ("a short text grew", "Forty-seven characters are all that was there.", ARTICLE, "better"),
    ("a short text grew a little", "A note.", "A longer note.", "better"),
    ("a short text became shorter", "A note about what is to come.", "Gone.", "worse"),
    ("a short text was corrected", "A note about a thing.", "A note about a hing.", "different"),
    ("a captcha that was taken for an article", CAPTCHA, ARTICLE[:700], "better"),
    ("broken characters were mended", MOJIBAKE, GERMAN, "better"),
    ("broken characters came", GERMAN, MOJIBAKE, "worse"),
    ("half of a Chinese text", CHINESE, CHINESE[: len(CHINESE) // 2 + 50], "worse"),
    ("a Chinese text was corrected", CHINESE, CHINESE.replace("第7条", "第七七条"), "different"),
]


@pytest.mark.parametrize(("old", "new", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_compare(old: str, new: str, expected: Change) -> None:
    assert compare(Reading(new), Reading(old), min_chars=MIN_CHARS) == expected


def test_a_wall_is_also_known_by_its_title() -> None:
    words = "Protection against automated visitors requires verification. " * 14
    old = Reading(words, title="Just a moment...")
    assert compare(Reading(ARTICLE[: len(words)]), old, min_chars=MIN_CHARS) == "better"


def test_the_limit_decides_what_is_short() -> None:
    first, more = Reading(ARTICLE[:700]), Reading(ARTICLE[:720])
    assert compare(more, first, min_chars=MIN_CHARS) == "different"
    assert compare(more, first, min_chars=1000) == "better"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (ARTICLE, TYPO, True),
        (TEASER, ARTICLE, True),
        (ARTICLE, f"{ARTICLE}\n{COMMENTS}\n{LINKS}", True),
        (ARTICLE, START_PAGE, False),
        (ARTICLE, OFFER, False),
    ],
)
def test_same_page_at_another_address(old: str, new: str, expected: bool) -> None:
    assert is_same_page(new, old) is expected


def test_of_long_texts_the_beginnings_are_compared() -> None:
    """And their length counts: two books, one of which was cut."""
    book = " ".join(f"word{number}" for number in range(60_000))
    cut = book[: len(book) // 2]
    assert len(cut) > MAX_CHARS
    assert compare(Reading(cut), Reading(book), min_chars=600) == "worse"
    assert compare(Reading(book), Reading(cut), min_chars=600) == "better"
    assert compare(Reading(book.replace(" ", "\n")), Reading(book), min_chars=600) == "same"
    assert compare(Reading(book + " end"), Reading(book), min_chars=600) == "different"


@pytest.mark.parametrize("name", ["is_garbled", "words", "words_to_compare", "prose_words", "page_verdict"])
def test_nothing_reads_the_whole_of_a_long_text(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    real = getattr(comparison, name)

    def checked(given: str, **rest: Any) -> Any:
        assert len(given) <= MAX_CHARS
        return real(given, **rest)

    monkeypatch.setattr(comparison, name, checked)
    assert compare(Reading("a" * 300_000), Reading("b" * 300_000), min_chars=600) == "different"
