"""Notices in <noscript> are removed; a picture there appears once."""

import pytest

from tests.pure.prepare.prepared import PROSE, html, texts


def test_a_notice_is_gone() -> None:
    assert texts(f"<p>{PROSE}</p><noscript><p>Please enable JavaScript.</p></noscript>") == [PROSE.strip()]


def test_a_copy_of_the_lazy_picture_beside_it_is_gone() -> None:
    for lazy in ("<img data-src='/a.jpg?w=600' src='data:x' alt=A>", "<img class=lazyload src='/tiny-a.jpg' alt=A>"):
        found = html(f"<p>one</p><div>{lazy}<noscript><img src='/a.jpg' alt=A></noscript></div><p>two</p>")
        assert found.count("<img") == 1


def test_a_placeholder_without_an_address_takes_the_one_of_the_noscript() -> None:
    real = "<img style='border:none' srcset='/a.jpg 9w' alt=A>"
    pictures = f"<img src='data:image/gif;base64,x'><noscript>{real}</noscript>"
    assert html(f"<p>one</p><div>{pictures}</div><p>two</p>") == '<p>one</p><img src="/a.jpg" alt="A"><p>two</p>'


def test_the_only_picture_stays_without_the_notice_beside_it() -> None:
    page = "<p>one</p><noscript>No scripts? <img src='/a.jpg' alt=A> Sorry!</noscript><p>two</p>"
    assert html(page) == '<p>one</p><img src="/a.jpg" alt="A"><p>two</p>'


def test_counters_are_no_pictures() -> None:
    for counter in ("<img src='https://c.example/tr?id=1'>", "<img src='/p.gif' width=1 height=1>"):
        assert html(f"<p>one</p><noscript>{counter}</noscript><p>two</p>") == "<p>one</p><p>two</p>"


def test_a_page_whose_text_is_in_noscript_keeps_it() -> None:
    assert PROSE.strip() in texts(f"<div id=app>Loading</div><noscript><h1>Wind</h1><p>{PROSE}</p></noscript>")


def test_a_copy_in_another_element_is_gone() -> None:
    copy = "<div><noscript><img src='/one.jpg' alt=A></noscript></div>"
    lazy = "<div><img class='lazyload' data-src='/one.jpg' width=800 height=400></div>"
    for page in (lazy + copy, copy + lazy):
        found = html(f"<p>one</p>{page}<p>two</p>")
        assert found.count("<img") == 1
        assert 'alt="A"' in found


def test_only_the_copy_of_two_pictures_is_gone() -> None:
    both = "<noscript><img src='/one.jpg'><img src='/two.jpg' alt=B></noscript>"
    found = html(f"<p>one</p><div><img data-src='/one.jpg' width=800 height=400></div><div>{both}</div><p>two</p>")
    assert (found.count("one.jpg"), found.count("two.jpg")) == (1, 1)


def test_another_picture_and_a_hidden_copy_do_not_take_its_place() -> None:
    real = "<div><noscript><img src='/one.jpg' alt=A></noscript></div>"
    assert "one.jpg" in html(f"<p>one</p><div><img src='/two.jpg' width=800 height=400></div>{real}<p>two</p>")
    assert "one.jpg" in html(f"<p>one</p><div hidden><img data-src='/one.jpg'></div>{real}<p>two</p>")


@pytest.mark.processor_seconds(60)
def test_many_noscripts_around_and_beside_each_other() -> None:
    assert texts("<p>Shown</p>" + "<div><noscript><img src='/a.jpg'>" * 1_000 + "<img src='/b.jpg'>" * 10_000)
    assert texts(
        "<p>Shown</p>" + "<div><noscript><img src='/a.jpg'></noscript>" * 1_000 + "<img src='/b.jpg'>" * 10_000
    )
    assert texts("<p>Shown</p><noscript><img src='/a.jpg'>" + "<figcaption>" * 1_000 + "<b>x</b>" * 10_000)


def test_a_control_character_in_a_copied_description() -> None:
    copy = "<div><noscript><img src='/one.jpg' alt='A&#1;B'></noscript></div>"
    assert html(f"<p>one</p><div><img data-src='/one.jpg'></div>{copy}<p>two</p>").count("<img") == 1
