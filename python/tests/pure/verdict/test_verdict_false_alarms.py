"""Real content that mentions walls, or has one somewhere on the page, is still content."""

import pytest

from nexus.text.page_verdict import page_verdict, words_to_compare

FILLER = "The rest of the report goes on about roofs, rivers and the price of bread in the old town. " * 12
BRIEF = "The committee will publish its findings in the spring, and the mayor has promised to read them aloud. " * 3


def page(title: str, body: str, extra: str = "") -> str:
    return f"<!doctype html><title>{title}</title><body><article><h1>{title}</h1><p>{body}</p></article>{extra}"


ARTICLES = {
    "captcha-history": (
        "A short history of the captcha",
        "Sites ask you to verify you are human, and to complete the captcha, since 1997. " + FILLER,
    ),
    "robot-brief": ("Are you a robot? New law asks chatbots to say so", BRIEF),
    "fixing-404": ("How to fix a 404 Not Found error in WordPress", "When a page is not found … " + BRIEF),
    "mdn-404": (
        "404 Not Found - HTTP",
        "The HTTP 404 Not Found client error response status code indicates that the server cannot find the "
        "requested resource. " + FILLER,
    ),
    "bad-gateway-guide": (
        "502 Bad Gateway: what it means and how to fix it",
        "The server, acting as a gateway, got an invalid response. " + FILLER,
    ),
    "cookie-law": (
        "What the cookie banner ruling means for publishers",
        "Consent must be as easy to refuse as to give. Accept all may not be larger than reject all. " + FILLER,
    ),
    "paywalls-essay": (
        "Why readers leave at the paywall",
        "“Subscribe to continue reading” is the sentence that ends most visits. " + FILLER,
    ),
    "login-design": (
        "Designing a better login page",
        "Sign in to continue is the least welcoming sentence of the web. " + FILLER,
    ),
    "domain-market": (
        "The odd economy of parked domains",
        "“This domain is for sale”, it says, and nothing else. " + FILLER,
    ),
    "maintenance-news": (
        "Bridge closed for maintenance until May",
        "The bridge is under maintenance. " + BRIEF,
    ),
    "forbidden-film": ("Forbidden Planet at 70", "The film opened in 1956. " + BRIEF),
    "blocked-canal": (
        "Ship blocked canal for six days",
        "The owner said the ship has been blocked. " + BRIEF,
    ),
    "very-short-post": ("A walk", "I walked to the sea today. It was grey, and so was I, and that was fine."),
    "enable-javascript-howto": (
        "Turn on scripts",
        "To enable JavaScript, open the settings, choose privacy, then content, then allow it. " + BRIEF,
    ),
    "access-denied-law": (
        "Access denied: how courts shut out the public",
        "Reporters were turned away. " + BRIEF,
    ),
    "comment-login": ("Soup", BRIEF + " You must be logged in to post a comment."),
    "reply-login": ("Which saw for oak?", BRIEF + " Log in to reply."),
    "newsletter": ("Letters", FILLER + " Subscribe to our newsletter to read more like this."),
    "list-of-500": ("500 Best Albums of the Decade", BRIEF),
    "route-403": ("403 steps to the lighthouse", BRIEF),
    "polish-page": ("Strona g\u0142\u00f3wna muzeum", BRIEF),
    "press-release": ("Study finds fish", "To read the full study, visit the journal. " + BRIEF),
    "german-newsletter": ("Suppe", BRIEF + " Newsletter: jetzt abonnieren!"),
    "prices-for-members": ("Valve, brass", "Please log in to view prices. " + BRIEF),
    "subscribe-line": ("Letters", BRIEF + " Subscribe to read more posts like this one."),
    "it-works": ("It works!", "The pump I wrote about last week works now. " + BRIEF),
    "form-hint": ("Enrolment", "Login required. Bring your student card. " + BRIEF),
    "house": ("For sale", "The old mill at Stratford is for sale again. " + BRIEF),
    "chinese": ("关于验证码的历史", "验证码要求用户证明自己不是机器人。" * 40),
    "japanese": ("ログインの歴史", "会員制の掲示板は一九八〇年代に生まれた。" * 20),
}


@pytest.mark.parametrize("name", ARTICLES)
def test_an_article_about_walls_is_an_article(name: str) -> None:
    title, body = ARTICLES[name]
    verdict = page_verdict(page(title, body), text=f"{title}\n{body}", title=title, status=200)
    assert (verdict.outcome, verdict.evidence) == ("ok", "")


COMPANY = {
    "login-form-in-the-header": "<form><h2>Log in</h2><input type=password></form>" + "<a>Menu entry</a> " * 150,
    "recaptcha-on-the-comment-form": "<script src='https://www.google.com/recaptcha/api.js'></script>",
    "cloudflare-script-on-a-page-let-through": "<script src='/cdn-cgi/challenge-platform/m.js'></script>",
    "incapsula-script-on-a-page-let-through": "<script src='/_Incapsula_Resource?SWJIYLWA=7'></script>",
    "cookie-banner": "<div>We use cookies to improve your experience. <button>Accept all</button></div>",
    "noscript-notice": "<noscript>Please enable JavaScript.</noscript><script src=a.js></script>",
    "free-to-read": '<script type="application/ld+json">{"isAccessibleForFree":true}</script>',
}


@pytest.mark.parametrize("name", COMPANY)
@pytest.mark.parametrize("body", [BRIEF, FILLER], ids=["short", "long"])
def test_what_stands_beside_an_article_does_not_condemn_it(name: str, body: str) -> None:
    html = page("Harbour to cost more", body, COMPANY[name])
    assert page_verdict(html, text=f"Harbour to cost more\n{body}", status=200).outcome == "ok"


def test_a_paid_article_that_is_there_in_full_is_readable() -> None:
    declared = '<script type="application/ld+json">{"isAccessibleForFree":false}</script>'
    assert page_verdict(page("Harbour", FILLER, declared), text=FILLER).outcome == "ok"


@pytest.mark.parametrize(
    ("text", "words"), [("", 0), ("one two, three", 3), ("日本語の文章", 3), ("mixed 日本 text", 3)]
)
def test_words_are_counted_in_every_script(text: str, words: int) -> None:
    assert words_to_compare(text) == words
