"""EPUB 3 files: our own strict reading of each, and the reference checker over one with all kinds of texts."""

import io
import json
import random
import zipfile
from pathlib import Path
from uuid import UUID

from nexus.errors import SanitizationError
from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.selection import LeftOut
from nexus.services.downloads.transcript import ChapterStart, Segment, transcript_html
from nexus.text.read_page import read_page
from nexus.text.sanitize import ALLOWED_TAGS, sanitize_html
from tests.browser.xss_payloads import CLASSES
from tests.downloads.books import DC, OPF, XHTML, article, epubcheck, read_book, write_book

PAGES = Path(__file__).parents[1] / "pure" / "pages"
IMAGE = '<img src="https://example.org/{}.png" alt="A &amp; B">'
TEXTS = {
    "cjk": ("zh-Hant-TW", "<h2>第一章</h2><p>這是一段文字。<strong>重點</strong></p><p>日本語と한국어</p>"),
    "arabic": ("ar", "<p>هذا نص عربي طويل</p><h2>عنوان</h2>"),
    "hebrew without a language": (None, "<p>שלום עולם</p>"),
    "wrong language": ("english (us)", "<p>Words</p>"),
    "formulas": (
        "en",
        "<p>Let <code>\\frac{a}{b} &lt; \\sum_{i=0}^n x_i</code> be</p><pre>if a &lt; b:\n\tx &amp;= 1</pre>",
    ),
    "nested tables": ("en", "<table><caption>c</caption><tr><th>a<td><table><tr><td>b</table></table>"),
    "pictures": ("en", f"<p>{IMAGE.format('a')}</p><figure>{IMAGE.format('none')}<figcaption>c</figcaption></figure>"),
    "nothing": ("en", ""),
    "emoji and astral": ("en", "<p>👩‍👩‍👧‍👦 \U0001d518\U0001f600 \ufffe \x0c</p>"),
}


def random_nesting(seed: int) -> str:
    """Elements of all kinds inside each other, with odd attributes."""
    choose = random.Random(seed)
    odd = {
        "a": [' href="https://e.org/a b|{}?q=[1]&x=%zz#é"', ' href="mailto:a b@c"', ' href="http://[::1]:8/x"', ""],
        "img": [' src="http://p/x.png" alt="A & B"', ' src="http://q/none.png"', ' src="http://p/x.png" width="0"'],
        "td": ["", " colspan=0", " colspan=3 rowspan=0", " colspan=5000 rowspan=70000"],
        "ol": [" start=-3", " start=x"],
        "time": [" datetime=yesterday", ""],
    }
    out, waiting = [], []
    for _ in range(choose.randint(5, 60)):
        kind = choose.random()
        if kind < 0.5:
            tag = choose.choice(sorted(ALLOWED_TAGS))
            out.append(f"<{tag}{choose.choice(odd.get(tag, ['']))}>")
            waiting.append(tag)
        elif kind < 0.7 and waiting:
            out.append(f"</{waiting.pop()}>")
        else:
            out.append(choose.choice(["word ", "  ", "é\x01\ufffe", "<!-- c -->", "&nbsp;"]))
    return "".join(out)


def fixture_pages() -> list[ExportedArticle]:
    expectations = json.loads((PAGES / "expectations.json").read_text("utf-8"))
    found = []
    for name in sorted(expectations)[::2]:
        content_type = expectations[name].get("content_type", "text/html; charset=utf-8")
        page = read_page((PAGES / name).read_bytes(), content_type=content_type, url="https://example.test/page")
        found.append(article(page.html_sanitized, title=page.about.title or name, lang=page.about.lang))
    return found


def sanitized(*sources: str) -> list[ExportedArticle]:
    found = []
    for source in sources:
        try:
            found.append(article(sanitize_html(source, "https://example.org/")))
        except SanitizationError:  # such a page is never stored
            continue
    return found


def transcript() -> ExportedArticle:
    said = [Segment(f"<p><strong>Ann &amp; Bo:</strong> Word {n}</p>", n * 20_000) for n in range(9)]
    chapters = [ChapterStart("Start <1>", 0), ChapterStart("End", 90_000)]
    return article(transcript_html([*said, Segment("<p>Notes</p>", None)], chapters), title="Episode")


def built(*articles: ExportedArticle, left_out: tuple[LeftOut, ...] = ()) -> bytes:
    out = io.BytesIO()
    write_book(out, list(articles), list(left_out))
    return out.getvalue()


def test_every_kind_of_text_makes_a_valid_book(tmp_path: Path) -> None:
    kinds = [
        article(sanitize_html(html, "https://example.org/"), title=title, lang=lang)
        for title, (lang, html) in TEXTS.items()
    ]
    hostile = sanitized(*(payload for payloads in CLASSES.values() for payload in payloads[::12]))
    nested = sanitized(*(random_nesting(seed) for seed in range(60)))
    odd = article("<p>x</p>", title="<A> & \x01B", byline="\x02 & Co", source_url="https://e.org/?a=[1]|{}", lang="")
    data = built(
        *kinds, *fixture_pages(), *hostile, *nested, transcript(), odd, left_out=(LeftOut("<b>", "it is not there"),)
    )
    book = read_book(data)
    assert len(book.documents) > 110
    file = tmp_path / "book.epub"
    file.write_bytes(data)
    assert "No errors or warnings detected" in (said := epubcheck(file)), said


def test_the_checker_finds_what_is_wrong(tmp_path: Path) -> None:
    """The control: a checker that accepts everything would prove nothing above."""
    data = built(article("<p>one</p>"))
    broken = tmp_path / "broken.epub"
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(broken, "w") as target:
        for info in source.infolist():
            content = source.read(info).replace(b"<p>one</p>", b"<p><div>one</div></p>")
            target.writestr(info, content)
    said = epubcheck(broken)
    assert said.startswith("exit 1")
    assert 'element "div" not allowed here' in said


def test_a_book_says_what_it_is_and_where_it_is_from() -> None:
    one = article("<h2>Part</h2><p>Text</p>", title="Bridges & Roads")
    book = read_book(built(one))
    assert book.facts("title") == ["Many texts"]
    assert book.facts("creator") == ["Ann Author"]
    assert book.facts("language") == ["en"]
    assert book.facts("source") == ["https://example.org/story"]
    assert book.facts("publisher") == ["The Example"]
    assert book.facts("date") == ["2026-05-04"]
    assert book.text("text-1.xhtml") == (
        "The Example Bridges & Roads Ann Author · 4 May 2026 Part Text"
        " Source: https://example.org/story Saved on 4 May 2026 . Text as of 4 May 2026 ."
    )
    links = [(each.get("href"), each.text) for each in book.documents["contents.xhtml"].iter(XHTML + "a")]
    assert links == [("text-1.xhtml", "Bridges & Roads"), ("text-1.xhtml#s1", "Part")]


def test_the_same_text_is_the_same_book_and_another_version_is_another() -> None:
    media_id = UUID(int=7)
    first, again = (built(article("<p>x</p>", media_id=media_id)) for _ in range(2))
    assert first == again
    other = built(article("<p>x</p>", media_id=media_id, version=2))
    assert read_book(first).facts("identifier") != read_book(other).facts("identifier")


def test_writing_from_right_to_left() -> None:
    book = read_book(built(article("<p>هذا نص عربي</p>", lang="ar")))
    assert book.documents["text-1.xhtml"].get("dir") == "rtl"
    assert next(book.package.iter(OPF + "spine")).get("page-progression-direction") == "rtl"


def test_several_texts_have_a_contents_page_and_say_what_is_missing() -> None:
    data = built(
        article("<p>x</p>", title="One"), article("<p>y</p>", title="Two"), left_out=(LeftOut("Three", "why"),)
    )
    book = read_book(data)
    spine = [str(each.get("idref")) for each in book.package.iter(OPF + "itemref")]
    names = {str(each.get("id")): each.get("href") for each in book.package.iter(OPF + "item")}
    assert [names[each] for each in spine] == ["contents.xhtml", "text-1.xhtml", "text-2.xhtml", "left-out.xhtml"]
    assert "1 item could not be included: Three: why" in book.text("left-out.xhtml")
    assert DC + "publisher" not in {str(each.tag) for each in book.package.iter()}
