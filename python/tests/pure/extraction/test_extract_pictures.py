"""Which pictures are kept, where they are written, and what is their caption."""

import pytest

from nexus.text.canonical_text import canonicalize
from nexus.text.extraction.article_html import content_html
from nexus.text.extraction.blocks import collect_blocks
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.pictures.choose_pictures import kept_pictures
from nexus.text.extraction.pictures.same_picture import picture_key
from nexus.text.markdown import to_markdown
from nexus.text.sanitize import sanitize_html


def keep(source: str, without: tuple[str, ...] = (), lead_image: str = "") -> str:
    """The article of a page whose model keeps all blocks but those that begin with a word of `without`."""
    body = parse_html(source).find("body")
    assert body is not None
    page = collect_blocks(body)
    kept = [i for i, block in enumerate(page.blocks) if not block.text.startswith(without or ("\0",))]
    return content_html(page, [page.blocks[i] for i in kept], kept_pictures(page, set(kept), lead_image))


TEXT = "The keeper wrote one line a day, mostly about the wind."
OTHER = "Ten more stories that were written by other people and that have nothing to do with the wind or the keeper."


@pytest.mark.parametrize(
    ("source", "html"),
    [
        (
            "<p>text <strong>x</strong> <img src=/a.jpg width=800></p>",
            '<p>text <strong>x</strong></p><img src="/a.jpg" width="800">',
        ),
        (
            "<p>text <strong>x</strong> <img src=/a.jpg width=800> y</p>",
            '<p>text <strong>x</strong> <img src="/a.jpg" width="800"> y</p>',
        ),
        ("<p>The rune <img src=/r.png alt=thorn> is old</p>", '<p>The rune <img src="/r.png" alt="thorn"> is old</p>'),
        ("<p>one <a href=/x><img src=/r.png></a> two</p>", '<p>one <a href="/x"><img src="/r.png"></a> two</p>'),
        ("<p>one <b><img src=/r.png></b>two</p>", '<p>one <strong><img src="/r.png"></strong>two</p>'),
        ("<p>call <img src=/phone.png width=16 height=16> now</p>", "<p>call now</p>"),
        ("<p>glad <img src=/1f600.png class=emoji alt='😀'> you came</p>", "<p>glad 😀 you came</p>"),
        ("<p>犬 <img src=/x.png alt='よくばりな'> 犬</p>", '<p>犬 <img src="/x.png" alt="よくばりな"> 犬</p>'),
        ("<p>see <img src=/x.png class=icon> here</p>", "<p>see here</p>"),
    ],
)
def test_a_picture_inside_a_line_stays_there_and_an_icon_goes(source: str, html: str) -> None:
    assert keep(source) == html


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("<p>We made it [🎉]</p>", "<p>We made it 🎉</p>"),
        ("<p>We made it [🎉]\n[🎉] </p><p>two</p>", "<p>We made it 🎉 🎉</p><p>two</p>"),
        ("<ul><li>[✅] the first</li><li> [✅] two</li></ul>", "<ul><li>✅ the first</li><li>✅ two</li></ul>"),
        ("<p><b>[✅]</b> one</p>", "<p><strong>✅</strong> one</p>"),
        ("<div>one<br><br>[✅] two</div>", "<p>one</p><p>✅ two</p>"),
        ("<div>one [✅]<br><br>two</div>", "<p>one ✅</p><p>two</p>"),
        ("<p>one<br>[🎉]</p>", "<p>one<br>🎉</p>"),
        ("<div><p>one</p>[🎉]<p>two</p></div>", "<p>one</p><p>two</p>"),
        ("<p>Menu [🎉]</p><p>two</p>", "<p>two</p>"),
    ],
)
def test_an_emoji_at_the_edge_of_a_line_stays(source: str, html: str) -> None:
    source = source.replace("[", "<img class=emoji src=/e.png width=16 alt='").replace("]", "'>")
    assert keep(source, without=("Menu",)) == html


def test_a_picture_stays_between_kept_text_and_icons_go() -> None:
    html = keep(
        '<p>before</p><img data-src="/a.jpg" src="data:x" alt="A"><img src="/i.gif" width="16">'
        '<img src="/j.gif" style="height: 20px"><img src="/k.gif" width=48 height=48>'
        '<img src="/b.jpg" width=70 height=50><p>after</p>'
    )
    assert html == '<p>before</p><img src="/a.jpg" alt="A"><img src="/b.jpg" width="70" height="50"><p>after</p>'


def test_a_picture_that_ends_the_text_stays_and_one_of_the_next_container_goes() -> None:
    html = keep('<article><p>one</p><ul><li>two</li></ul><img src="/a.jpg"></article><div><img src="/b.jpg"></div>')
    assert html == '<p>one</p><ul><li>two</li></ul><img src="/a.jpg">'


def test_the_picture_below_a_single_paragraph_stays_and_one_beside_its_container_goes() -> None:
    figure = "<figure><img src=/a.jpg></figure>"
    html = keep(
        f"<main><div><p>{TEXT}</p>{figure}</div><div><figure><img src=/b.jpg></figure>{OTHER}</div></main>", ("Ten",)
    )
    assert html == f'<p>{TEXT}</p><figure><img src="/a.jpg"></figure>'


def test_a_picture_above_the_first_paragraph_stays_though_a_byline_stands_between() -> None:
    source = (
        f"<main><h1>Wind</h1><div>By Ann Lee</div><div class=x><figure><img src=/a.jpg></figure></div><p>By the way</p>"
        f"<div><p>{TEXT}</p><p>{TEXT}</p></div></main>"
    )
    assert keep(source, without=("By",)).startswith('<h1>Wind</h1><figure><img src="/a.jpg"></figure><p>The keeper')


def test_the_picture_that_the_head_names_stays_once() -> None:
    source = (
        f"<div><img src=/img/a.jpg?w=400></div><div><img src=/img/a.jpg?w=900></div><div><img src=/b.jpg></div>"
        f"<div>Menu</div><article><p>{TEXT}</p><p>{TEXT}</p></article>"
    )
    html = keep(source, without=("Menu",), lead_image="https://example.org/img/a.jpg")
    assert html.startswith('<img src="/img/a.jpg?w=400"><p>The keeper')
    assert html.count("<img") == 1


@pytest.mark.parametrize(
    "junk",
    [
        "<div class=related><a href=/other><img src=/b.jpg></a><p>Ten</p></div>",
        "<div><a href=/other><img src=/b.jpg></a></div>Ten",
        "<div class=author-box><img src=/b.jpg></div>",
        "<div><img src=https://example.org/avatar/b.jpg></div>",
        "<aside><img src=/b.jpg></aside>",
        "<a href=https://shop.example/><img src=/b.jpg width=400 height=400></a>",
        "<div class='ad banner'><img src=/b.jpg></div>",
        f"<div><img src=/b.jpg><p>{OTHER} {OTHER}</p></div>",
    ],
)
def test_pictures_of_cards_authors_and_advertisements_go(junk: str) -> None:
    page = f"<article><p>{TEXT}</p><img src=/a.jpg><p>{TEXT}</p>{junk}</article><p>Ten</p>"
    html = keep(page, without=("Ten",))
    assert html == f'<p>{TEXT}</p><img src="/a.jpg"><p>{TEXT}</p>'


def test_buttons_between_kept_text_go() -> None:
    html = keep(
        "<p>one</p><a href=/comment><img src=/c.png></a><img src=/icons/d.png><a href=/e><img src=/e.jpg></a><p>two</p>"
    )
    assert html == '<p>one</p><a href="/e"><img src="/e.jpg"></a><p>two</p>'


def test_a_gallery_stays_and_a_preview_of_the_same_picture_goes() -> None:
    source = (
        "<p>one</p><figure><img src=/60/a.jpg><img src=/900/a.jpg><img src=/900/b.jpg></figure>"
        "<div class=gallery-icon><img data-src=/c.jpg><noscript><img src=/c.jpg></noscript></div><p>two</p>"
    )
    assert keep(source) == (
        '<p>one</p><figure><img src="/900/a.jpg"><img src="/900/b.jpg"></figure><img src="/c.jpg"><p>two</p>'
    )


def test_the_first_picture_of_a_gallery_stays_with_its_heading_and_without_its_count() -> None:
    pictures = "<a href=#><img src=/one.jpg></a><div>+14</div><img src=/two.jpg><div>+10</div>"
    gallery = f"<section><h4>+Gallery</h4>{pictures}</section>"
    article = f"<article><p>{TEXT}</p>{gallery}<p>{TEXT}</p></article>"
    assert keep(article, ("+",)) == f'<p>{TEXT}</p><h4>+Gallery</h4><img src="/one.jpg"><p>{TEXT}</p>'
    assert "/one.jpg" not in keep(article.replace("#", "/another-page"), ("+",))
    assert "img" not in keep(article.replace("<h4>", f"<p>+{OTHER} {OTHER}</p><h4>"), ("+",))


def test_pictures_with_the_same_file_name_are_no_copies() -> None:
    sources = ["/1/original.jpg", "/2/original.jpg", "/3/original.jpg"]
    figures = "".join(f"<figure><img src={source}></figure><p>text</p>" for source in sources)
    html = keep(f"<p>one</p>{figures}", lead_image="https://cdn.example/1/original.jpg")
    assert [source in html for source in sources] == [True, True, True]
    assert keep("<p>one</p><figure><img src=/1/large.jpg><img src=/2/large.jpg></figure><p>two</p>").count("<img") == 2


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example/x/a.jpg?w=1", "/x/a.jpg?w=2", True),
        ("//a.example/x/a.jpg", "https://b.example/x/a.jpg", True),
        ("/x/300x200/a.jpg", "/x/large/a.jpg", True),
        ("/x/w_300,h_200/a.jpg", "/x/w_900,c_fill/a.jpg", True),
        ("/resize/width=300/https://a.example/x/a.jpg", "/x/a.jpg", True),
        ("/x/s320/a.jpg", "/x/s1600-h/a.jpg", True),
        ("/one/4f0c81e2d93ab7.jpg", "/other/4f0c81e2d93ab7.jpg", True),
        ("/one/wind-900x600.jpg", "/other/wind-900x600.jpg", False),
        ("/one/screenshot-2024.png", "/other/screenshot-2024.png", False),
        ("/123/large.jpg", "/124/large.jpg", False),
        ("/image.php?id=1", "/image.php?id=2", False),
        ("/resize?image=a", "/resize?image=b", False),
    ],
)
def test_copies_differ_in_their_size_only(one: str, other: str, same: bool) -> None:
    assert (picture_key(one) == picture_key(other)) == same


def test_a_picture_with_several_sources_stays() -> None:
    source = "<picture><source srcset=/a.webp><source srcset='/a.avif 2x'><img src=/a.jpg></picture>"
    assert keep(f"<p>one</p>{source}<p>two</p>") == '<p>one</p><img src="/a.jpg"><p>two</p>'
    lazy = "<picture><source srcset=/a.webp><source srcset='/a.avif 2x'><img src='data:x'></picture>"
    assert keep(f"<p>one</p>{lazy}<p>two</p>") == '<p>one</p><img src="/a.webp"><p>two</p>'


@pytest.mark.parametrize(
    ("attributes", "src"),
    [
        ("src='data:x' file=/photo.jpg?v=2", "/photo.jpg?v=2"),
        ("src=/img/blank.gif data-hires=https://example.org/photo.PNG", "https://example.org/photo.PNG"),
        ("data-sizes='/s.jpg 300w, /l.jpg 900w'", "/l.jpg"),
        ("src=/a.jpg data-zoom=/b.jpg", "/a.jpg"),
        ("src=/img/blank.gif data-state='{src: /b.jpg}' onclick='show.jpg'", "/img/blank.gif"),
    ],
)
def test_a_lazy_loader_may_keep_the_address_in_any_attribute(attributes: str, src: str) -> None:
    assert keep(f"<p>one</p><img {attributes}><p>two</p>") == f'<p>one</p><img src="{src}"><p>two</p>'


def test_a_picture_keeps_its_link_and_its_size() -> None:
    html = keep("<p>one</p><p><a href=/large.jpg><img src=/a.jpg width=640 height=480></a></p><p>two</p>")
    image = '<a href="/large.jpg"><img src="/a.jpg" width="640" height="480"></a>'
    assert html == f"<p>one</p>{image}<p>two</p>"
    assert 'width="640"' in sanitize_html(html, "https://example.org/")


@pytest.mark.parametrize(
    "figure",
    [
        "<figure><img src=/a.jpg><figcaption>The <i>sea</i></figcaption></figure>",
        "<figure><div><a href=/a><img src=/a.jpg></a></div><figcaption><p>The <i>sea</i></p></figcaption></figure>",
        "<figure><img src=/a.jpg></figure><figcaption>The <i>sea</i></figcaption>",
        "<div><div><figure><img src=/a.jpg></figure></div><div><figcaption>The <i>sea</i></figcaption></div></div>",
        "<figure><img src=/a.jpg><div class=photo-credit>The <i>sea</i></div></figure>",
        "<div class=wp-caption><img src=/a.jpg><p class=wp-caption-text>The <i>sea</i></p></div>",
        "<div class=thumb><div><img src=/a.jpg><div class=thumbcaption>The <i>sea</i></div></div></div>",
        "<dl class=picture><dt><img src=/a.jpg></dt><dd class=caption>The <i>sea</i></dd></dl>",
        "<table><tr><td><img src=/a.jpg></td></tr><tr><td class=tr-caption>The <i>sea</i></td></tr></table>",
    ],
)
@pytest.mark.parametrize("without", [(), ("The sea",)])
def test_a_caption_follows_its_picture(figure: str, without: tuple[str, ...]) -> None:
    html = keep(f"<p>one</p>{figure}<p>two</p>", without)
    image = '<img src="/a.jpg">'
    image = f'<a href="/a">{image}</a>' if "href" in figure else image
    assert html == f"<p>one</p><figure>{image}<figcaption>The <em>sea</em></figcaption></figure><p>two</p>"
    assert canonicalize(html) == "one\nThe sea\ntwo"


def test_a_caption_above_its_pictures_stays_above_and_its_lines_stay_apart() -> None:
    html = keep(
        "<p>one</p><figure><figcaption><p>Two waves</p><p>Photo: Ann Lee</p></figcaption>"
        "<img src=/a.jpg><img src=/b.jpg></figure><p>two</p>"
    )
    caption = "<figcaption>Two waves<br>Photo: Ann Lee</figcaption>"
    assert html == f'<p>one</p><figure>{caption}<img src="/a.jpg"><img src="/b.jpg"></figure><p>two</p>'


def test_a_caption_of_a_picture_that_goes_is_not_added() -> None:
    figure = "<div class=author><figure><img src=/a.jpg><figcaption>Ann Lee</figcaption></figure></div>"
    assert keep(f"<p>one</p>{figure}<p>two</p>", without=("Ann",)) == "<p>one</p><p>two</p>"


def test_a_figure_is_never_inside_a_paragraph() -> None:
    html = keep("<ul><li>one<p><span><img src=/a.jpg></span></p>two</li></ul>")
    assert html == '<ul><li>one<img src="/a.jpg">two</li></ul>'


def test_markdown_shows_figures_and_pictures_inside_a_line() -> None:
    def markdown(html: str) -> str:
        return to_markdown(sanitize_html(html, "https://example.org/"))

    figure = "<figure><img src=/a.jpg alt=A><figcaption>The <em>sea</em></figcaption></figure>"
    assert markdown(f"<p>one</p>{figure}<p>two</p>") == "one\n\n![A](https://example.org/a.jpg)\n\nThe *sea*\n\ntwo"
    assert markdown(f"<ul><li>one{figure}</li></ul>").startswith("- one\n\n  ![A](https://example.org/a.jpg)\n\n  The")
    assert markdown("<h2>Old <img src=/a.png alt=rune></h2>") == "## Old ![rune](https://example.org/a.png)"
    assert markdown("<p>a <img src=/a.png alt=rune> b</p>") == "a ![rune](https://example.org/a.png) b"
