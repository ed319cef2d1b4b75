"""Of the articles of a page, the one that its title names."""

from nexus.text.extract_text import extract_text

PROSE = "The keeper wrote one line a day, and on most days it was about the wind that came in from the sea. " * 4
WIND, TIDE = "Wind from the sea for weeks", "A tide that nobody had expected"


def article(headline: str, word: str, date: str = "3 May 2024", tag: str = "h1") -> str:
    body = f"<p>{word} one. {PROSE}</p><p>{word} two. {PROSE}</p><p>{word} three. {PROSE}</p>"
    return f"<article><{tag}>{headline}</{tag}><div>By Ada Low</div><div>{date}</div>{body}</article>"


def text_of(title: str, *articles: str) -> str:
    page = f"<html><head><title>{title}</title></head><body><main>{''.join(articles)}</main></body></html>"
    return extract_text(page.encode(), content_type="text/html; charset=utf-8", url="https://example.org/a").text


def test_an_appended_article_is_left_out_wherever_it_stands() -> None:
    for pages in ((article(WIND, "Wind"), article(TIDE, "Tide")), (article(TIDE, "Tide"), article(WIND, "Wind"))):
        text = text_of(f"{WIND} - The Post", *pages)
        assert "Wind two." in text
        assert "Tide two." not in text


def test_all_stay_where_the_title_names_none_or_several() -> None:
    front = text_of("The Post", article(WIND, "Wind"), article(TIDE, "Tide"))
    assert "Wind two." in front
    assert "Tide two." in front
    thread = text_of(WIND, article(WIND, "Wind"), article(f"Re: {WIND}", "Reply"))
    assert "Reply two." in thread


def test_parts_of_an_article_stay() -> None:
    undated = text_of(WIND, article(WIND, "Wind"), article("How it began", "Part", date="Again"))
    assert "Part two." in undated
    lesser = text_of(WIND, article(WIND, "Wind"), article("How it began", "Part", tag="h2"))
    assert "Part two." in lesser
