"""Which title a page gets: each case is a head, a body and the title."""

import pytest

from tests.pure.metadata.pages import article, ld, meta, named, read

OURS = meta("og:site_name", "The Harbour")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("A storm is coming | The Harbour", "A storm is coming"),
        ("A storm is coming - The Harbour", "A storm is coming"),
        ("A storm is coming – Weather – The Harbour", "A storm is coming – Weather"),
        ("A storm is coming | Weather | The Harbour", "A storm is coming"),
        ("The Harbour: A storm is coming", "A storm is coming"),
        ("The Harbour | A storm is coming", "A storm is coming"),
        ("A storm is coming │ Weather and Sea", "A storm is coming"),
        ("A storm is coming [The Harbour]", "A storm is coming"),
        ("A storm is coming | example.test", "A storm is coming"),
        ("A storm is coming – Harbour", "A storm is coming – Harbour"),
        ("Storms: what they are", "Storms: what they are"),
        ("A storm is coming &amp;amp; more - The Harbour", "A storm is coming & more"),
        ("台风即将登陆沿海地区_天气频道_海港网", "台风即将登陆沿海地区"),
        ("台风即将登陆沿海地区－海港新闻", "台风即将登陆沿海地区"),
        ("台风即将登陆沿海地区｜The Harbour", "台风即将登陆沿海地区"),
        ("COVID-19疫苗接种工作全面展开", "COVID-19疫苗接种工作全面展开"),
    ],
)
def test_the_site_is_cut_off(title: str, expected: str) -> None:
    assert read(f"<title>{title}</title>{OURS}").title == expected


def test_the_section_is_cut_off_where_the_page_names_it() -> None:
    section = meta("article:section", "Weather")
    assert read(f"<title>A storm is coming - Weather - The Harbour</title>{OURS}{section}").title == "A storm is coming"


def test_an_unknown_site_is_cut_off_behind_the_page_s_own_heading() -> None:
    title = "<title>河流 - 维基百科，自由的百科全书</title>"
    assert read(title, "<h1>河流</h1>", url=None).title == "河流"
    assert read("<title>Rivers of the north - Atlas</title>", "<h2>Rivers of the north</h2>").title == (
        "Rivers of the north"
    )


def test_a_heading_with_bars_stays_whole() -> None:
    title = "Letters: more rain | less sun | no wind"
    assert read(f"<title>{title}</title>", f"<h1>{title}</h1>").title == title


def test_a_kicker_stays() -> None:
    title = meta("og:title", "Election: the mayor stays in office")
    assert read(title, "<h1>The mayor stays in office</h1>").title == "Election: the mayor stays in office"


def test_a_title_that_was_cut_off_is_completed() -> None:
    whole = 'The mayor calls the bridge "a disgrace" for the town'
    assert read("<meta property='og:title' content='The mayor calls the bridge '>", f"<h1>{whole}</h1>").title == whole
    assert read(meta("og:title", "The mayor calls the bridge…"), f"<h1>{whole}</h1>").title == whole
    assert read(meta("og:title", "The mayor"), "<h1>The mayor and the bridge</h1>").title == "The mayor"


def test_the_site_s_own_heading_is_not_the_title() -> None:
    logo = '<div class="site-title"><h1><a href="/">Tide Tables and More</a></h1></div>'
    assert read("<title>How the tide works - Tide Tables and More</title>", logo).title == "How the tide works"
    assert read(
        "<title>How the tide works</title>", '<h1><a href="/">Welcome, dear friend of the sea</a></h1>'
    ).title == ("How the tide works")


def test_a_title_that_is_only_the_site_gives_way_to_the_heading() -> None:
    assert read(f"<title>The Harbour</title>{OURS}", "<h1>Ropes</h1>").title == "Ropes"
    assert (
        read("<title>Home</title>", "<h1>How to tie a rope in the dark</h1>").title == "How to tie a rope in the dark"
    )
    assert read("<title>Harbour notes</title>", "<h1>How to tie a rope in the dark</h1>").title == (
        "How to tie a rope in the dark"
    )
    assert read(f"<title>The Harbour</title>{OURS}").title == "The Harbour"


def test_the_document_s_title_wins_over_a_heading_that_says_something_else() -> None:
    assert read("<title>Printing in two colours</title>", "<h1>Welcome!</h1>").title == "Printing in two colours"


def test_a_forum_thread_is_not_called_like_the_forum() -> None:
    forum = meta("og:site_name", "Rope Forum") + meta("og:title", "Rope Forum")
    head = f"{forum}<title>Which knot for wet rope? - Rope Forum</title>"
    logo = '<h1 class="logo">Rope Forum</h1>'
    assert read(head, f"{logo}<h2>Which knot for wet rope?</h2>").title == "Which knot for wet rope?"
    posting = ld({"@type": "DiscussionForumPosting", "headline": "Which knot for wet rope?"})
    assert read(f"{forum}<title>Rope Forum</title>{posting}", logo).title == "Which knot for wet rope?"
    question = ld({"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Which knot for wet rope?"}})
    assert read(f"{forum}<title>Rope Forum</title>{question}", logo).title == "Which knot for wet rope?"


def test_a_headline_that_is_a_description_loses_to_title_and_heading() -> None:
    head = "<title>Elbe - Encyclopedia</title>" + ld(article(headline="river in Central Europe", url="/a/b"))
    assert read(head, "<h1>Elbe</h1>").title == "Elbe"


def test_the_article_of_several_whose_headline_the_page_shows() -> None:
    others = [article(headline=f"Story number {n} from elsewhere", url=f"/other/{n}") for n in range(3)]
    own = article(headline="The lamp that never went out", url="https://www.example.test/a/b#article", author="Ada")
    found = read(ld(*others, own) + "<title>The lamp that never went out</title>")
    assert (found.title, found.byline) == ("The lamp that never went out", "Ada")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (meta("dc:title", "Dublin") + meta("og:title", "Graph"), "Dublin"),
        (named("dc:title", "By name") + meta("dc:title", "By property"), "By property"),
        (meta("x:title dc:title", "One of two names"), "One of two names"),
        (meta("og:title", "") + named("parsely-title", "Another"), "Another"),
        (named("twitter:title", "Short"), "Short"),
        ("<svg><title>Arrow</title></svg><title>Page</title>", "Page"),
    ],
)
def test_meta_tags(head: str, expected: str) -> None:
    assert read(head).title == expected


@pytest.mark.parametrize(
    ("document", "heading", "expected"),
    [
        ("App", "Chapter one", "Chapter one"),
        ("Wind", "Wind", "Wind"),
        ("Reader app", "Chapter one", "Reader app"),
        ("Reader app", "What the wind did in the first chapter", "What the wind did in the first chapter"),
    ],
)
def test_a_short_title_gives_way_to_the_only_heading_that_says_more(document: str, heading: str, expected: str) -> None:
    assert read(f"<title>{document}</title>", f"<main><h1>{heading}</h1><p>Text</p></main>").title == expected


@pytest.mark.parametrize(
    ("title", "host"),
    [
        ("Release notes - Python 3.13", "www.python.org"),
        ("All of the release notes - Python 3.13", "www.python.org"),
        ("Install - Docker Desktop", "docs.docker.com"),
        ("Hello - the example of a good title", "example.org"),
        ("Report of a long trip - Mediterranean", "medi.com"),
        ("Python: batteries included", "python.org"),
        ("Python: batteries are always included", "python.org"),
        ("Python - batteries included", "python.org"),
        ("中国移动湖北公司——打造5G精品网", "example.org"),
    ],
)
def test_words_of_the_host_stay_in_a_title(title: str, host: str) -> None:
    assert read(f"<title>{title}</title>", url=f"https://{host}/a").title == title


@pytest.mark.parametrize("end", [" - Harbour", " | harbour.test", " - www.harbour.test"])
def test_the_whole_name_of_the_host_is_cut_off(end: str) -> None:
    page = read(f"<title>A storm is coming{end}</title>", url="https://www.harbour.test/a")
    assert page.title == "A storm is coming"
