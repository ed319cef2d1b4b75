"""Bylines: names are cleaned, and names of other articles are not taken."""

import pytest

from nexus.text.extraction.metadata.person_names import clean_name
from tests.pure.metadata.pages import article, ld, meta, named, read

CASES = [
    ("By Ada Lovelace", "Ada Lovelace"),
    ("by: Ada Lovelace", "Ada Lovelace"),
    ("Posted by Ada Lovelace", "Ada Lovelace"),
    ("Words and photos by Ada Lovelace", "Ada Lovelace"),
    ("Von Ada Lovelace", "Ada Lovelace"),
    ("Beitrag von Ada Lovelace", "Ada Lovelace"),
    ("Par Ada Lovelace", "Ada Lovelace"),
    ("Escrito por Ada Lovelace", "Ada Lovelace"),
    ("Text & Fotos: Ada Lovelace", "Ada Lovelace"),
    ("作者：王小明", "王小明"),
    ("文／王小明", "王小明"),
    ("记者：王小明", "王小明"),
    ("Ada Lovelace, Staff Writer", "Ada Lovelace"),
    ("Ada Lovelace Senior Political Editor", "Ada Lovelace"),
    ("Ada Lovelace | Reporter", "Ada Lovelace"),
    ("Ada Lovelace, Software Engineer on Looms", "Ada Lovelace"),
    ("Ada Lovelace (@ada)", "Ada Lovelace"),
    ("Ada Lovelace @ada_l", "Ada Lovelace"),
    ("Ada Lovelace ada@example.test", "Ada Lovelace"),
    ("ada@example.test (Ada Lovelace)", "Ada Lovelace"),
    ("Ada Lovelace https://example.test/ada", "Ada Lovelace"),
    ("Ada Lovelace March 5, 2024", "Ada Lovelace"),
    ("Ada Lovelace on 5 March 2024", "Ada Lovelace"),
    ("Ada Lovelace • 8 hours ago", "Ada Lovelace"),
    ("Von Ada Lovelace, 07. Dezember 2022", "Ada Lovelace"),
    ("Ada Lovelace Published: 2024-03-05", "Ada Lovelace"),
    ("Ada Lovelace Ada Lovelace", "Ada Lovelace"),
    ("Ada LovelaceAda Lovelace", "Ada Lovelace"),
    ("View all posts by Ada Lovelace", "Ada Lovelace"),
    ("<a href='/ada'>Ada Lovelace</a>", "Ada Lovelace"),
    ("Ludwig van Beethoven", "Ludwig van Beethoven"),
    ("Ursula von Stein", "Ursula von Stein"),
    ("Letters to the Editor", "Letters to the Editor"),
    ("Ruderclub - Abteilung Nord", "Ruderclub - Abteilung Nord"),
    ("Ada Lovelace and Charles Babbage", "Ada Lovelace and Charles Babbage"),
    ("Doe, Jane", "Doe, Jane"),
    *((nobody, "") for nobody in ("No Author", "admin", "Guest", "Staff", "Staff Writer", "by", "N/A", "佚名", "@ada")),
    *((nobody, "") for nobody in ("https://example.test/ada", "5 March 2024", "责任编辑：王小明", "Photo by Ada")),
    ("© Ada", ""),
    ("Ada Lovelace Reviewed by Bo Berg", "Ada Lovelace"),
    ("& Ada Lovelace", "Ada Lovelace"),
    ('"Ada Lovelace"', "Ada Lovelace"),
    *((nobody, "") for nobody in ("q_admin", "page.head.author", "social.example/ada", "6 de mayo de 2022")),
    ("Ada, 1721.", ""), ("3 de Mayo de", ""),
    *((nobody, "") for nobody in ("", " ", "-", "12345", "x" * 500)),
]  # fmt: skip


@pytest.mark.parametrize(("written", "name"), CASES)
def test_names_are_cleaned(written: str, name: str) -> None:
    assert clean_name(written) == name


@pytest.mark.parametrize(
    "head",
    [
        ld(article(author={"name": "Ada Lovelace"})),
        ld(article(author={"@id": "#ada"}), {"@type": "Person", "@id": "#ada", "name": "Ada Lovelace"}),
        ld({"@graph": [article(author=[{"@id": "#ada"}]), {"@type": "Person", "@id": "#ada", "name": "Ada Lovelace"}]}),
        named("author", "Ada Lovelace"),
        named("DC.creator", "Ada Lovelace"),
        meta("article:author", "Ada Lovelace"),
        meta("article:author", "https://social.example/ada") + named("author", "Ada Lovelace"),
        ld(article(author="No Author")) + named("author", "Ada Lovelace"),
        ld(article(author="Premo3 P")) + named("author", "Ada Lovelace"),
        named("author", "The Site") + meta("og:site_name", "The Site") + named("parsely-author", "Ada Lovelace"),
        named("author", "Ada Lovelace - The Site") + meta("og:site_name", "The Site"),
    ],
)
def test_what_the_head_says(head: str) -> None:
    assert read(head).byline == "Ada Lovelace"


def test_several_names() -> None:
    assert read(ld(article(author=[{"name": "Ada"}, {"name": "Bo"}, {"name": "ada"}]))).byline == "Ada, Bo"
    assert read(ld(article(author=[{"name": "Ada, Queen of Looms"}, {"name": "Ada"}]))).byline == "Ada"
    assert read(named("DC.creator", "Doe, Jane") + named("DC.creator", "Roe, R.")).byline == "Doe, Jane; Roe, R."


TITLE = "<h1>How to tie a rope</h1>"
PROSE = f"<p>{'The rope goes around the post and back again. ' * 6}</p>"


@pytest.mark.parametrize(
    "shown",
    [
        '<a rel="author" href="/ada">Ada Lovelace</a>',
        '<span itemprop="author"><span itemprop="name">Ada Lovelace</span></span>',
        '<span property="schema:author">Ada Lovelace</span>',
        '<div class="pb-byline">By <a href="/people/ada">Ada Lovelace</a></div>',
        '<div class="FeatureByline">By <b>Ada Lovelace</b><br>March 12, 2026</div>',
        '<div class="author-name">ADA LOVELACE</div>',
        '<div class="post-author"><img alt=""><b>Ada Lovelace</b><i>Staff Writer</i><time>5 March 2024</time></div>',
        '<div class="user-info" itemprop="author">Ada Lovelace 1,176 4 4 bronze badges</div>',
        "<p>By Ada Lovelace</p>",
        "<p>By <b>Ada Lovelace</b></p>",
        "<p>By <b>Ada Lovelace</b>, who ties ropes</p>",
    ],
)
def test_what_the_page_shows_near_its_heading(shown: str) -> None:
    found = read("", f"<article>{TITLE}{shown}{PROSE}</article>").byline
    assert (found or "").casefold() == "ada lovelace"


STANDFIRSTS = [
    "By Christmas, everything had changed.",
    "By Christmas, everything had changed",
    "By Monday the water had gone",
    "By Monday",
    "By April",
    "By December All Was Lost",
    "By Land and Sea: A Story",
    "By Then It Was Far Too Late For Them",
    "By Ropes!",
    "Von Berlin nach München: eine Reise",
    "Von Berlin nach München",
    "Por Europa en tren",
    "Par Toutatis, quelle histoire",
    "By <em>Christmas</em> everything had changed",
    "By <em>the end of the year</em> everything had changed",
]


@pytest.mark.parametrize("standfirst", STANDFIRSTS)
def test_a_standfirst_names_nobody(standfirst: str) -> None:
    assert read("", f"<article>{TITLE}<p>{standfirst}</p>{PROSE}</article>").byline is None


@pytest.mark.parametrize(
    "name",
    [
        "April Smith",
        "August von Stein",
        "Ada de la Cruz",
        "Jean d'Arc",
        "Ada Lovelace Jr.",
        "A. B. Lovelace",
        "ADA LOVELACE",
        "Ada Lovelace, Bo Berg and Cy O'Neil",
        "Ada Lovelace & Bo van der Berg",
    ],
)
def test_names_below_the_heading(name: str) -> None:
    assert read("", f"<article>{TITLE}<p>By {name}</p>{PROSE}</article>").byline == name


NO_NAMES = [
    '<p class="authorization">Ask Me</p>',
    '<p class="author">read more here</p>',
    '<a rel="author">View Full Profile</a>',
]


@pytest.mark.parametrize("other", NO_NAMES)
def test_words_that_are_no_name(other: str) -> None:
    assert read("", f"<article>{TITLE}{other}{PROSE}</article>").byline is None


def test_a_chinese_line_below_the_heading() -> None:
    line = "<div><span>2024-05-09 10:00</span> <span>来源：海港网</span> <span>作者：王小明</span></div>"
    assert read("", f"<h1>台风即将登陆沿海地区</h1>{line}{PROSE}").byline == "王小明"


@pytest.mark.parametrize(
    "elsewhere",
    [
        '<aside><a rel="author">Bo Berg</a></aside>',
        '<div class="related-stories"><span class="byline">By Bo Berg</span></div>',
        '<article><h2>Other</h2><a rel="author">Bo Berg</a></article>',
        '<div class="comment"><span class="comment-author">Bo Berg</span></div>',
        '<footer><span class="author">Bo Berg</span></footer>',
        '<div class="author-bio">Bo Berg writes about ropes. He lives in a harbour and has two dogs.</div>',
        '<div class="reviews"><span itemprop="author">Bo Berg</span></div>',
        "<p>Photo by Bo Berg</p>",
        "<p>By the end of the year all will be tied.</p>",
    ],
)
def test_a_neighbour_is_not_the_author(elsewhere: str) -> None:
    assert read("", f"<main><article>{TITLE}{PROSE}</article></main>{elsewhere}").byline is None


def test_the_author_of_a_neighbour_in_json_ld() -> None:
    card = article(headline="Fish of the deep sea", url="https://www.example.test/fish", author="Bo Berg")
    assert read(ld(card) + "<title>How to tie a rope</title>", TITLE).byline is None


def test_the_author_at_the_end_of_the_article() -> None:
    body = f'<article>{TITLE}{PROSE}<footer class="post-footer"><a rel="author">Ada Lovelace</a></footer></article>'
    assert read("", body).byline == "Ada Lovelace"


def test_the_site_only_where_nobody_else_is_named() -> None:
    head = ld(article(author={"@type": "Organization", "name": "The Site"})) + meta("og:site_name", "The Site")
    assert read(head).byline == "The Site"
    assert read(head, f'<article>{TITLE}<p class="byline">By Ada Lovelace</p></article>').byline == "Ada Lovelace"
