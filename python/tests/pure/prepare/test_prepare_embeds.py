"""Players, maps and posts in a text become links at their place; other frames give nothing."""

import pytest

from nexus.text.extraction.article_html import content_html
from nexus.text.extraction.embed_cards import embed_cards
from nexus.text.extraction.pictures.choose_pictures import Pictures
from tests.pure.prepare.prepared import PROSE, page_of

BEFORE, AFTER = "<p>Before it.</p>", "<p>After it.</p>"


def html(source: str, without: str = "") -> str:
    page = page_of(source)
    kept = [i for i, block in enumerate(page.blocks) if not without or without not in block.text]
    return content_html(page, [page.blocks[i] for i in kept], Pictures([], {}), embed_cards(page, set(kept)))


@pytest.mark.parametrize(
    ("embed", "address", "text"),
    [
        (
            "<iframe src='https://www.youtube.com/embed/abc_def-123?rel=0' title='YouTube video player'></iframe>",
            "https://www.youtube.com/watch?v=abc_def-123",
            "Video on youtube.com",
        ),
        (
            "<div class=video><iframe data-src='//www.youtube-nocookie.com/embed/abcdefghijk' title='Wind &amp; sea'>"
            "</iframe></div>",
            "https://www.youtube.com/watch?v=abcdefghijk",
            "Wind &amp; sea",
        ),
        (
            "<lite-youtube videoid=abcdefghijk><a href='https://www.youtube.com/watch?v=abcdefghijk'>Play: Wind</a>"
            "</lite-youtube>",
            "https://www.youtube.com/watch?v=abcdefghijk",
            "Wind",
        ),
        ("<iframe src='https://player.vimeo.com/video/77?h=1'></iframe>", "https://vimeo.com/77", "Video on vimeo.com"),
        (
            "<iframe src='https://open.spotify.com/embed/show/0aNq' title='Spotify Embed: Wind'></iframe>",
            "https://open.spotify.com/show/0aNq",
            "Wind",
        ),
        (
            "<iframe src='https://w.soundcloud.com/player/?url=https%3A//soundcloud.com/ada/wind&amp;color=1'></iframe>",
            "https://soundcloud.com/ada/wind",
            "Audio on soundcloud.com",
        ),
        (
            "<iframe src='https://www.google.com/maps/embed?pb=1' width=600 height=450></iframe>",
            "https://www.google.com/maps/embed?pb=1",
            "Map on google.com",
        ),
        (
            "<video controls poster=p.jpg><source src='https://cdn.example/wind.mp4'>No video?</video>",
            "https://cdn.example/wind.mp4",
            "Video on cdn.example",
        ),
        ("<audio controls src='/wind.mp3' aria-label='The wind'></audio>", "/wind.mp3", "The wind"),
        (
            "<object width=425 height=355><param name=movie value='http://www.youtube.com/v/abcdefghijk&amp;hl=en'>"
            "<embed src='http://www.youtube.com/v/abcdefghijk'></object>",
            "https://www.youtube.com/watch?v=abcdefghijk",
            "Video on youtube.com",
        ),
        (
            "<script src='https://gist.github.com/ada/123abc.js'></script>",
            "https://gist.github.com/ada/123abc",
            "Embedded page on gist.github.com",
        ),
        (
            "<noscript><iframe src='https://codepen.io/ada/embed/xyz' title=Pen></iframe></noscript>",
            "https://codepen.io/ada/pen/xyz",
            "Pen",
        ),
        (
            "<iframe width='100%' height=166 scrolling=no frameborder=no allow=autoplay src='https://w.soundcloud.com/"
            "player/?url=https%3A//soundcloud.com/ada/wind&amp;color=%23ff5500&amp;auto_play=false&amp;hide_related="
            "false&amp;show_comments=true&amp;show_user=true&amp;show_reposts=false&amp;show_teaser=true'></iframe>",
            "https://soundcloud.com/ada/wind",
            "Audio on soundcloud.com",
        ),
        (
            "<iframe src='https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/7&amp;"
            "show_comments=true'></iframe>",
            "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/7&amp;show_comments=true",
            "Audio on w.soundcloud.com",
        ),
        (
            "<iframe src='https://www.slideshare.net/slideshow/embed_code/key/aB1' width=595 height=485></iframe>",
            "https://www.slideshare.net/slideshow/embed_code/key/aB1",
            "Document on slideshare.net",
        ),
        (
            "<iframe width=560 height=315 src='https://www.youtube.com/embed/Ad_x1y2z3aB?si=chat-ads_1&amp;start=9' "
            "title='YouTube video player' referrerpolicy='strict-origin-when-cross-origin' allowfullscreen></iframe>",
            "https://www.youtube.com/watch?v=Ad_x1y2z3aB",
            "Video on youtube.com",
        ),
        (
            "<iframe src='https://a.example/embed/1?comments=0&amp;share=1&amp;login=0' title='Wind'></iframe>",
            "https://a.example/embed/1?comments=0&amp;share=1&amp;login=0",
            "Wind",
        ),
        (
            "<iframe src='https://tube.example/videos/embed/1' title='How ads and cookies work'></iframe>",
            "https://tube.example/videos/embed/1",
            "How ads and cookies work",
        ),
    ],
)
def test_an_embed_becomes_a_link_at_its_place(embed: str, address: str, text: str) -> None:
    card = f'<p><a href="{address}">{text}</a></p>'
    assert html(f"<article>{BEFORE}{embed}{AFTER}</article>") == f"{BEFORE}{card}{AFTER}"


@pytest.mark.parametrize(
    "frame",
    [
        "<iframe src='about:blank'></iframe>",
        "<iframe src='https://www.googletagmanager.com/ns.html?id=1' height=0 width=0></iframe>",
        "<iframe src='https://ads.example/embed/1'></iframe>",
        "<iframe src='https://a.example/embed/1' width=1 height=1></iframe>",
        "<iframe src='https://a.example/embed/1' style='display: none'></iframe>",
        "<div hidden><iframe src='https://a.example/embed/1'></iframe></div>",
        "<iframe src='https://a.example/consent/embed' title='Consent'></iframe>",
        "<iframe src='https://a.example/login?embed=1' title='Sign in'></iframe>",
        "<iframe src='https://a.example/x9'></iframe>",
        "<iframe title='Advertisement' src='https://example.net/thing' width=300 height=250></iframe>",
        "<iframe title='3rd party ad content' src='https://example.net/thing' width=300 height=250></iframe>",
        "<iframe src='https://example.net/share/embed'></iframe>",
        "<iframe src='https://www.youtube.com/live_chat?v=abcdefghijk'></iframe>",
        "<iframe src='javascript:alert(1)' title='Player'></iframe>",
        "<video src='blob:https://a.example/1'></video>",
        "<video src='https://a.example/1.mp4' autoplay loop muted></video>",
        "<object type='image/svg+xml' data='https://a.example/embed.svg'></object>",
        "<form><iframe src='https://a.example/embed/1'></iframe></form>",
    ],
)
def test_other_frames_give_nothing(frame: str) -> None:
    assert html(f"<article>{BEFORE}{frame}{AFTER}</article>") == BEFORE + AFTER


VIDEO = "<iframe src='https://player.vimeo.com/video/77' title='Wind'></iframe>"


def test_an_embed_is_kept_where_the_text_around_it_is_kept() -> None:
    page = f"<article><p>{PROSE}</p>{VIDEO}</article><div><p>Left out.</p>{VIDEO.replace('77', '78')}</div>"
    found = html(page, without="Left out")
    assert "vimeo.com/77" in found
    assert "vimeo.com/78" not in found


def test_an_embed_appears_once_and_keeps_its_caption() -> None:
    figure = f"<figure><div>{VIDEO}</div><noscript>{VIDEO}</noscript><figcaption>In March</figcaption></figure>"
    card = '<p><a href="https://vimeo.com/77">Wind</a></p>'
    assert html(f"<article>{BEFORE}{figure}{AFTER}</article>") == (
        f"{BEFORE}<figure>{card}<figcaption>In March</figcaption></figure>{AFTER}"
    )


def test_a_quoted_post_keeps_its_text() -> None:
    post = "<blockquote class='twitter-tweet'><p>Windy.</p>Ada (@ada)</blockquote><script src='https://x.example/w.js'></script>"
    assert html(f"<article>{BEFORE}{post}{AFTER}</article>") == (
        f"{BEFORE}<blockquote><p>Windy.</p><p>Ada (@ada)</p></blockquote>{AFTER}"
    )
