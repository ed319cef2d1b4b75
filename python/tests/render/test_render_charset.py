"""The browser and the fetch decode a page's bytes in the same charset."""

from collections.abc import Iterator

import pytest

from nexus.errors import MaxBytesError
from nexus.pipelines.web_article import RenderMode
from nexus.text.extraction.charset import Decoded, decode_bytes
from nexus.text.originals.original_file import unpack
from nexus.text.read_page import read_page
from nexus.web.rendering import Renderer
from tests.render.pipeline import Pipeline, pipeline_to
from tests.render.site import PageResponse, Site

POLISH = "Zażółć gęślą jaźń: mówił długo, a nikt z nich go nie słuchał, choć późno wracali z łąki do domu."
RUSSIAN = "Старую мельницу на окраине города превратили в мастерскую для всех жителей, и мост снова открыт."
GREEK = "Σήμερα η παλιά γέφυρα έκλεισε τον Μάρτιο και από τότε το πλοίο μεταφέρει όλους τους κατοίκους του νησιού."
JAPANESE = "三月に橋が閉鎖されてから、島で働く人々は皆、渡し船で通っている。町の人々は新しい橋を待っている。"


@pytest.fixture(scope="module")
def pipeline(renderer: Renderer, fixture_site: Site) -> Iterator[Pipeline]:
    with pipeline_to(fixture_site, renderer) as made:
        yield made


def page(text: str, head: str = "", paragraphs: int = 3, extra: str = "") -> str:
    body = f"<article>{f'<p>{text}</p>' * paragraphs}</article>{extra}"
    return f"<!doctype html><head>{head}<title>x</title></head><body>{body}"


def put(site: Site, path: str, body: bytes, type_: str | None = "text/html") -> str:
    site.pages[path] = PageResponse(body, type=type_)
    return site.origin + path


CASES = {
    "UTF-8 without a label": (POLISH, "utf-8", "text/html", ""),
    "UTF-8 without a type": (POLISH, "utf-8", None, ""),
    "UTF-8 under a wrong header": (POLISH, "utf-8", "text/html; charset=iso-8859-1", ""),
    "UTF-8 under a wrong tag": (POLISH, "utf-8", "text/html", "<meta charset=windows-1252>"),
    "windows-1251 without a label": (RUSSIAN, "cp1251", "text/html", ""),
    "windows-1251 that is called UTF-8": (RUSSIAN, "cp1251", "text/html; charset=utf-8", ""),
    "windows-1251 by its tag alone": (RUSSIAN, "cp1251", "text/html", "<meta charset=windows-1251>"),
    "a tag that the header contradicts": (RUSSIAN, "cp1251", "text/html; charset=utf-8", "<meta charset=cp1251>"),
    "iso-8859-7 by its header": (GREEK, "iso-8859-7", "text/html; charset=ISO-8859-7", ""),
    "Shift_JIS by its tag": (JAPANESE, "shift_jis", "text/html", "<meta charset=Shift_JIS>"),
    "UTF-16 without a mark": (POLISH, "utf-16-le", "text/html", ""),
    "UTF-8 by its header": (JAPANESE, "utf-8", "text/html; charset=utf-8", ""),
}


@pytest.mark.parametrize(("text", "encoding", "type_", "head"), CASES.values(), ids=CASES.keys())
def test_a_short_page_is_decoded_correctly(
    pipeline: Pipeline, renderer: Renderer, fixture_site: Site, text: str, encoding: str, type_: str | None, head: str
) -> None:
    body = page(text, head).encode(encoding)
    url = put(fixture_site, "/short", body, type_)
    modes: tuple[RenderMode, ...] = ("auto", "always")
    for mode in modes:
        assert pipeline.article(url, mode).canonical_text == "\n".join([text] * 3)
    seen = renderer.render(url, charset=decode_bytes(body, type_).label)
    assert seen.html.count(text) == 3


def test_every_charset_has_a_name_that_browsers_know_or_none() -> None:
    for encoding, label in [
        ("utf_8", "utf-8"), ("cp1251", "windows-1251"), ("latin-1", "windows-1252"), ("iso8859_5", "iso-8859-5"),
        ("koi8_r", "koi8-r"), ("euc_jp", "euc-jp"), ("cp949", "euc-kr"), ("cp437", None), ("johab", None),
    ]:  # fmt: skip
        assert Decoded("", encoding).label == label


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_text_that_a_script_adds_to_an_unlabelled_page_is_kept_with_the_rest(
    pipeline: Pipeline, fixture_site: Site, mode: RenderMode
) -> None:
    script = """<script>const added = '<p>Ĝi aldoniĝis.</p>'.repeat(9);
      document.querySelector('article').insertAdjacentHTML('beforeend', added)</script>"""
    url = put(fixture_site, "/added", page(POLISH, extra=script).encode())
    assert pipeline.article(url, mode).canonical_text == "\n".join([POLISH] * 3 + ["Ĝi aldoniĝis."] * 9)


def test_a_long_unlabelled_page_is_decoded_correctly_when_always_rendered(
    pipeline: Pipeline, fixture_site: Site
) -> None:
    url = put(fixture_site, "/long", page(POLISH, paragraphs=30).encode())
    assert pipeline.article(url, "always").canonical_text == "\n".join([POLISH] * 30)


def test_an_unlabelled_page_that_is_too_large_is_refused(renderer: Renderer, fixture_site: Site) -> None:
    url = put(fixture_site, "/endless", page("é" * 9_000_000).encode())
    with pytest.raises(MaxBytesError, match="more than 16000000 bytes"):
        renderer.render(url)


def test_a_document_reached_by_script_is_decoded_correctly(pipeline: Pipeline, fixture_site: Site) -> None:
    put(fixture_site, "/end", page(POLISH, paragraphs=9).encode())
    url = put(fixture_site, "/start", b"<title>x</title><script>location.href = '/end'</script>")
    article = pipeline.article(url)
    assert article.canonical_text == "\n".join([POLISH] * 9)
    assert article.canonical_url == fixture_site.origin + "/end"


def test_links_of_a_rendered_page_lead_where_the_browser_would_go(pipeline: Pipeline, fixture_site: Site) -> None:
    """And the page is stored under its own URL, not under the one its script sets."""
    text = "The committee met on a Tuesday, and nobody could say who spoke first. " * 12
    script = f"""<title>x</title><div id=root></div><script>history.replaceState(null, '', '/deep/other');
      const article = `<article><p>{text}<a href=next>the next one</a></p></article>`;
      document.getElementById('root').innerHTML = article</script>"""
    url = put(fixture_site, "/claims", script.encode(), "text/html; charset=utf-8")
    article = pipeline.article(url)
    assert article.canonical_url == url
    assert f'href="{fixture_site.origin}/deep/next"' in article.html_sanitized


def test_what_the_browser_made_of_a_page_is_its_original_and_gives_the_same_text(
    pipeline: Pipeline, fixture_site: Site
) -> None:
    script = f"<script>document.querySelector('article').innerHTML = '<p>{RUSSIAN}</p>'.repeat(9)</script>"
    head = "<meta charset=windows-1251><base href='/elsewhere/'>"
    url = put(fixture_site, "/made", page("…", head, extra=script).encode("cp1251"))
    found = pipeline.article(url)
    assert found.original is not None
    assert found.original.content is not None
    facts, pieces = unpack([found.original.content])
    assert (facts.how, facts.url, facts.base_url) == ("rendered", url, fixture_site.origin + "/elsewhere/")
    again = read_page(b"".join(pieces), content_type=facts.content_type, url=facts.url, base_url=facts.base_url)
    assert again.text == found.canonical_text == "\n".join([RUSSIAN] * 9)
