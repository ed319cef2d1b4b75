import pytest

from tests.pure.metadata.pages import article, ld, meta, read

CANONICAL = '<link rel="canonical" href="{}">'


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (CANONICAL.format("https://other.test/story"), "https://other.test/story"),
        (CANONICAL.format("/story?a=1"), "https://www.example.test/story?a=1"),
        ('<base href="https://base.test/x/">' + CANONICAL.format("story"), "https://base.test/x/story"),
        (CANONICAL.format("") + meta("og:url", "https://www.example.test/og"), "https://www.example.test/og"),
        (CANONICAL.format("javascript:alert(1)"), None),
        (CANONICAL.format("data:text/html,x"), None),
        (CANONICAL.format("http://[bad"), None),
        (CANONICAL.format("https://www.example.test/" + "x" * 3000), None),
        ("", None),
    ],
)
def test_declared_url(head: str, expected: str | None) -> None:
    assert read(head).declared_url == expected


@pytest.mark.parametrize(
    "head",
    [
        meta("og:image", "/img/logo.png") + meta("twitter:image", "/lead.jpg"),
        meta("og:image", "/blank.gif") + meta("twitter:image", "/lead.jpg"),
        meta("og:image", "/1x1.png") + meta("twitter:image", "/lead.jpg"),
        meta("og:image", "/a.png") + meta("og:image:width", "1") + meta("twitter:image", "/lead.jpg"),
        meta("og:image", "/favicon.ico") + ld(article(image={"url": "/lead.jpg", "width": 800})),
        meta("og:image", "/brand.png") + meta("twitter:image", "/lead.jpg")
        + ld(article(publisher={"name": "S", "logo": {"url": "/brand.png"}})),
        ld(article(image={"url": "/tiny.jpg", "width": 1, "height": 1})) + '<link rel="image_src" href="/lead.jpg">',
    ],
)  # fmt: skip
def test_a_logo_or_a_pixel_is_not_the_lead_picture(head: str) -> None:
    assert read(head).lead_image == "https://www.example.test/lead.jpg"


def test_a_name_that_only_contains_such_a_word_is_a_picture() -> None:
    for name in ("logoped.jpg", "blanket.jpg", "12_default_x.jpg"):
        assert read(meta("og:image", f"/{name}")).lead_image == f"https://www.example.test/{name}"
    assert read(meta("og:image", "/a b.jpg")).lead_image == "https://www.example.test/a%20b.jpg"
