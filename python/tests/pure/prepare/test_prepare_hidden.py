"""Text that a browser does not show is not text, but what only waits for a click or a script is."""

import pytest

from nexus.text.extract_text import extract_text
from tests.pure.prepare.prepared import PROSE, html, texts

LONG = "An answer that takes its time: the ferry leaves at nine, at noon and at five, but never on a Sunday in winter."


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>secret</div>",
        "<div hidden='hidden'>secret</div>",
        "<span aria-hidden=true>secret</span>",
        "<div style='display:none'>secret</div>",
        "<div style='color:red; DISPLAY : None !important'>secret</div>",
        "<p style='visibility: hidden'>secret</p>",
        "<dialog>secret</dialog>",
        "<a href=/>after<span class='sr-only'>secret</span></a>",
        "<template><p>secret</p></template>",
        "<div hidden><p>secret</p><div hidden>secret</div></div>",
        f"<div class='modal' style='display:none'><p>secret {LONG}</p></div>",
        f"<nav><button>Menu</button><div style='display:none'>secret {LONG}</div></nav>",
    ],
)
def test_hidden_text_is_gone_and_the_text_around_it_stays(hidden: str) -> None:
    found = " ".join(texts(f"<p>{PROSE}</p><div>before {hidden} after</div>"))
    assert "secret" not in found
    assert "before" in found
    assert "after" in found


@pytest.mark.parametrize(
    "shown",
    [
        "<div hidden=until-found>shown</div>",
        "<div aria-hidden=false>shown</div>",
        "<div style='backface-visibility:hidden'>shown</div>",
        "<dialog open>shown</dialog>",
        "<details><summary>More</summary>shown</details>",
        "<div class='tab-pane'>shown</div>",
        "<table><tr><th>Free</th><td><svg></svg><span class='sr-only'>shown</span></td></tr></table>",
        "<b><span aria-hidden=true>s h o w n</span><span class='visually-hidden'>shown</span></b>",
    ],
)
def test_shown_text_stays(shown: str) -> None:
    assert "shown" in texts(f"<p>{PROSE}</p>{shown}")


@pytest.mark.parametrize(
    "section",
    [
        f"<div role=tabpanel hidden>{LONG}</div>",
        f"<div id=a1 role=region aria-labelledby=q1 style='display:none'>{LONG}</div>",
        f"<button aria-controls=x9>When?</button><p>Short.</p><div id=x9 hidden>{LONG}</div>",
        f"<h3>When does it leave?</h3><div style='display:none'><p>{LONG}</p></div>",
        f"<div class=accordion__content aria-hidden=true>{LONG}</div>",
    ],
)
def test_a_section_that_the_reader_can_open_stays(section: str) -> None:
    assert LONG in texts(f"<p>{PROSE}</p>{section}")


def test_a_page_that_is_hidden_until_its_scripts_ran_keeps_its_text() -> None:
    for page in (
        f"<body style='visibility:hidden'><p>{PROSE}</p></body>",
        f"<nav><a href=/>Home</a></nav><div id=app style='display:none'><h1>Wind</h1><p>{PROSE}</p></div>",
        f"<article><div style='display:none'><p>{PROSE}</p></div></article><p>{LONG}</p><p>{LONG}</p>"
        + f"<p>{LONG}</p>" * 2,
        f"<div class=cookie-accepted style='display:none'><main><p>{PROSE}</p></main></div>",
        f"<p>Loading</p><div hidden id='S:0'><p>{PROSE}</p></div><div hidden id='S:1'><p>Streamed later.</p></div>",
    ):
        assert PROSE.strip() in texts(page)
    assert "Streamed later." in texts(page)


@pytest.mark.parametrize(
    "attributes",
    ["id=consent-modal class=modal", "id=cookieBox", "role=dialog", "aria-modal=true", "class=loginmodal", "id=rest"],
)
def test_a_hidden_dialog_is_never_the_text_of_a_short_page(attributes: str) -> None:
    dialog = f"<div {attributes} style='display:none'><p>{PROSE}</p></div>"
    article = f"<p>{LONG}</p><p>{LONG}</p>" * 2
    assert texts(article + dialog) == [LONG] * 4
    if attributes != "id=rest":
        assert texts(f"<p>Loading</p>{dialog}") == ["Loading"]


@pytest.mark.parametrize(
    "name", ["research-answer", "terror-faq", "navy-toggle", "multimodal-accordion", "shared-more"]
)
def test_a_word_inside_another_says_nothing(name: str) -> None:
    assert LONG in texts(f"<p>{PROSE}</p><div class={name} hidden>{LONG}</div>")


@pytest.mark.parametrize(
    "name", ["faq-navbar", "toggle searchForm", "expand cookiebanner", "more-errors", "mainmenu-toggle"]
)
def test_other_closed_parts_are_gone(name: str) -> None:
    assert texts(f"<p>{PROSE}</p><div class='{name}' hidden>{LONG}</div>") == [PROSE.strip()]


def test_pictures_that_screen_readers_skip_stay_and_hidden_ones_go() -> None:
    shown = "<a aria-hidden=true href='/a.jpg'><img src='/a.jpg' alt=A width=400 height=300></a>"
    gone = "<div style='display:none'><img src='/b.jpg' width=400 height=300></div>"
    assert html(f"<p>one</p>{shown}<p>two</p>{gone}<p>three</p>").count("<img") == 1


def test_metadata_in_hidden_elements_is_still_read() -> None:
    page = (
        f"<h1>Wind</h1><span itemprop=author style='display:none'>Ada Keeper</span><p>{PROSE}</p>"
        '<div hidden><script type="application/ld+json">'
        '{"@type": "Article", "datePublished": "2026-01-02"}</script></div>'
    )
    found = extract_text(page.encode(), content_type="text/html; charset=utf-8", url=None)
    assert (found.byline, str(found.published_at)[:10]) == ("Ada Keeper", "2026-01-02")
    assert "Ada" not in found.text


@pytest.mark.processor_seconds(60)
def test_many_hidden_elements_around_each_other() -> None:
    deep = "<div role=tabpanel hidden>" * 1_500 + f"<p>{PROSE}</p>" * 10_000 + "</div>" * 1_500
    assert len(texts(f"<div>{deep}</div>{'<i hidden>x</i>' * 30_000}")) == 10_000
    assert texts(deep.replace("role=tabpanel", "") + "<p>Shown</p>" * 20_000)
    assert texts(f"<noscript>{PROSE}</noscript>" * 5_000 + "<p>Shown</p>")
