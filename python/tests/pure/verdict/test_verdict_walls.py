"""Walls in the form that sites use, written for this project; none of them may pass for an article."""

import pytest

from nexus.text.canonical_text import canonicalize
from nexus.text.page_verdict import page_verdict
from nexus.text.sanitize import sanitize_html

NAVIGATION = "<nav>" + "".join(f"<a href='/{n}'>Section number {n} of our shop</a> " for n in range(60)) + "</nav>"
LEAD = "<p>" + "The council met on Tuesday to hear what the harbour would cost and who would pay for it. " * 5 + "</p>"


def page(body: str, title: str = "", head: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


WALLS = {
    "cloudflare-challenge": (
        "bot_wall",
        page(
            "<h1>shop.example</h1><p>Performing security verification</p><noscript>Enable scripts</noscript>"
            "<script>window._cf_chl_opt={cvId:'3'};</script>",
            "Just a moment...",
        ),
    ),
    "cloudflare-blocked": (
        "bot_wall",
        page(
            "<h1>Sorry, you have been blocked</h1><h2>You are unable to access shop.example</h2>"
            "<p>This website is using a security service to protect itself from online attacks.</p>",
            "Attention Required! | Cloudflare",
        ),
    ),
    "datadome": (
        "bot_wall",
        page(
            "<p>Please enable JS and disable any ad blocker</p>"
            "<script src='https://ct.captcha-delivery.com/c.js'></script>",
            "shop.example",
        ),
    ),
    "press-and-hold": (
        "bot_wall",
        page(
            '<div id="px-captcha"></div><p>Press & Hold to confirm you are a human (and not a bot).</p>'
            "<p>Reference ID 8a71</p>",
            "Access to this page has been denied",
        ),
    ),
    "akamai-denied": (
        "bot_wall",
        page(
            '<h1>Access Denied</h1>You don\'t have permission to access "http://shop.test/" on this server.'
            "<p>Reference #18.2d1</p><p>https://errors.edgesuite.net/18.2d1</p>",
            "Access Denied",
        ),
    ),
    "aws-waf": (
        "bot_wall",
        page("<div id='challenge-container'></div><script>window.gokuProps = {};</script>", ""),
    ),
    "incapsula-frame": (
        "bot_wall",
        page("<iframe src='/_Incapsula_Resource?CWUDNSAI=9'>Request unsuccessful.</iframe>", ""),
    ),
    "interruption": (
        "bot_wall",
        page(
            "<h1>Pardon Our Interruption</h1><p>As you browsed something about your browser made us think "
            "you were a bot.</p>",
            "Pardon Our Interruption",
        ),
    ),
    "proof-of-work": (
        "bot_wall",
        page(
            "<h1>Making sure you're not a bot!</h1><p>Loading...</p>"
            "<script src='/.within.website/x/cmd/anubis/static/js/main.mjs'></script>",
            "Making sure you&#39;re not a bot!",
        ),
    ),
    "unusual-traffic": (
        "bot_wall",
        page(
            "<p>Our systems detected unusual traffic from your computer network. This page checks to see if "
            "it's really you sending the requests, and not a robot.</p>",
            "https://search.example/",
        ),
    ),
    "characters": (
        "bot_wall",
        page(
            "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure.</p>",
            "Robot Check",
        ),
    ),
    "german-robot-check": (
        "bot_wall",
        page("<p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>", "Sicherheitsüberprüfung"),
    ),
    "network-security": (
        "refusal",
        page(
            "<h1>You've been blocked by network security.</h1><p>To continue, log in to your account.</p>",
            "Blocked",
        ),
    ),
    "request-blocked": (
        "refusal",
        page("<h1>Whoa there</h1><p>Your request has been blocked due to a network policy.</p>", "Blocked"),
    ),
    "review-connection": (
        "bot_wall",
        page("<p>We need to verify you are human. This may take a few seconds.</p>", "shop.example"),
    ),
    "client-challenge": (
        "bot_wall",
        page(
            "<p>A required part of this site couldn't load.</p><script src='/_fs-ch-1T/s.js'></script>",
            "Shop",
        ),
    ),
    "login-required": ("login_wall", page("<h1>Login required</h1><p>Members of the club only.</p>", "Club")),
    "login-social": (
        "login_wall",
        page("<h1>Join LinkedIn</h1><input type=password><p>Already with us?</p>", "Sign Up | LinkedIn"),
    ),
    "login-form": (
        "login_wall",
        page(
            "<h1>Log in</h1><form><input name=u><input type=password></form><p>Forgot password?</p>",
            "Log in | Acme",
        ),
    ),
    "login-form-japanese": ("login_wall", page("<h1>ログイン</h1><input type='password'>", "ログイン")),
    "login-form-french": (
        "login_wall",
        page("<h1>Connexion</h1><input type='PASSWORD'><p>Mot de passe oublié ?</p>", "Connexion - Journal"),
    ),
    "login-to-view": (
        "login_wall",
        page("<h1>Forum</h1><p>You must be logged in to view this topic.</p>", "Members' forum"),
    ),
    "sign-in-to-continue": (
        "login_wall",
        page("<p>Please sign in or register to continue.</p><a href=/in>Sign in</a>", "Acme Docs"),
    ),
    "consent-before-you-continue": (
        "consent_wall",
        page(
            "<h1>Before you continue to Search</h1><p>We use cookies and data to deliver services.</p>"
            "<button>Reject all</button><button>Accept all</button>",
            "Before you continue",
        ),
    ),
    "consent-partners": (
        "consent_wall",
        page(
            "<h1>We value your privacy</h1><p>We and our 842 partners store and access personal data, like "
            "browsing data, on your device. Selecting I accept enables tracking technologies.</p>"
            "<p>Vendors may process your data on the basis of legitimate interest.</p><p>Accept all</p>",
            "Daily Example",
        ),
    ),
    "consent-german": (
        "consent_wall",
        page(
            "<h2>Weiter mit Werbung</h2><p>Besuchen Sie uns wie gewohnt mit Werbung und Tracking.</p>"
            "<p>Ihre Zustimmung ist jederzeit widerrufbar, siehe Datenschutz.</p><p>Alle akzeptieren</p>",
            "Beispiel.de",
        ),
    ),
    "paywall-subscribe": (
        "paywall",
        page(f"<h1>Harbour to cost more</h1>{LEAD}<p>Subscribe to continue reading</p>", "Harbour to cost more"),
    ),
    "paywall-subscribers-only": (
        "paywall",
        page(f"<h1>Harbour</h1>{LEAD}<div>This article is for subscribers only.</div>", "Harbour"),
    ),
    "paywall-french": (
        "paywall",
        page(f"<h1>Le port</h1>{LEAD}<p>Il vous reste 82.5% de cet article à lire.</p>", "Le port"),
    ),
    "paywall-spanish": (
        "paywall",
        page(f"<h1>El puerto</h1>{LEAD}<p>Para seguir leyendo, suscríbete</p>", "El puerto"),
    ),
    "paywall-members": (
        "paywall",
        page(f"<h1>Harbour</h1>{LEAD}<p>The author made this story available to members only.</p>", "Harbour"),
    ),
    "paywall-account": (
        "paywall",
        page(f"<h1>Harbour</h1>{LEAD}<p>Create an account to read the full story.</p>", "Harbour"),
    ),
    "paywall-paid-post": (
        "paywall",
        page(f"<h1>Letter</h1>{LEAD}<h2>This post is for paid subscribers</h2>", "Letter"),
    ),
    "paywall-german": (
        "paywall",
        page(f"<h1>Hafen</h1>{LEAD}<p>Diesen Artikel weiterlesen mit Beispiel Plus</p>", "Hafen"),
    ),
    "paywall-declared": (
        "paywall",
        page(
            f"<h1>Harbour</h1>{LEAD}",
            "Harbour",
            '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>',
        ),
    ),
    "soft-404": (
        "soft_404",
        page(f"{NAVIGATION}<h1>Page not found</h1><p>Try our search or go to the home page.</p>", "Acme"),
    ),
    "soft-404-title": ("soft_404", page("<p>Nothing to see.</p>", "404 Not Found | Acme")),
    "soft-404-sentence": (
        "soft_404",
        page("<h1>Hmm.</h1><p>The page you are looking for has been moved or no longer exists.</p>", "Acme"),
    ),
    "soft-404-oops": (
        "soft_404",
        page("<h1>Oops! That page can&rsquo;t be found.</h1><p>It looks like…</p>", "A blog"),
    ),
    "soft-404-removed": ("soft_404", page("<h1>This content is no longer available</h1>", "Video")),
    "soft-404-video": ("soft_404", page("<h1>Video unavailable</h1>", "Tube")),
    "soft-404-product": (
        "soft_404",
        page("<h1>We're sorry, this product is no longer available.</h1>", "Shop"),
    ),
    "soft-404-hmm": ("soft_404", page("<h1>Hmm...this page doesn't exist. Try searching.</h1>", "X")),
    "soft-404-dotted-title": (
        "soft_404",
        page("<p>Find code and people here.</p>", "Page not found · Hub · Hub"),
    ),
    "soft-404-german": ("soft_404", page("<h1>Seite nicht gefunden</h1>", "Acme")),
    "soft-404-chinese": ("soft_404", page("<h1>页面不存在</h1>", "网站")),
    "soft-404-russian": ("soft_404", page("<h1>Страница не найдена</h1>", "Сайт")),
    "apache-404": (
        "soft_404",
        page("<h1>Oh no</h1><p>The requested URL /x.html was not found on this server.</p>", "Server"),
    ),
    "error-500": (
        "error_page",
        page("<h1>500 Internal Server Error</h1><hr>nginx", "500 Internal Server Error"),
    ),
    "error-502": ("error_page", page("<h1>502 Bad Gateway</h1><hr>nginx/1.25", "502 Bad Gateway")),
    "error-database": (
        "error_page",
        page("<h1>Error establishing a database connection</h1>", "Database Error"),
    ),
    "error-wrong": ("error_page", page("<h1>Something went wrong</h1><p>Try again.</p>", "Acme")),
    "error-client-side": (
        "error_page",
        page("<h2>Application error: a client-side exception has occurred (see the browser console).</h2>", ""),
    ),
    "error-timeout": ("error_page", page("<h1>Timed out</h1>", "shop.example | 522: Connection timed out")),
    "error-dns": ("error_page", page("<h1>Error 1001</h1>", "DNS resolution error | shop.example")),
    "error-rate": ("error_page", page("<h1>Too Many Requests</h1><p>Slow down.</p>", "Error")),
    "maintenance-brief": (
        "error_page",
        page("<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>", "Site"),
    ),
    "maintenance": (
        "error_page",
        page("<h1>We'll be back soon!</h1><p>Some maintenance.</p>", "Site Maintenance"),
    ),
    "server-default": ("error_page", page("<h1>Welcome to nginx!</h1><p>Further setup is required.</p>", "")),
    "parked-sale": (
        "parked_domain",
        page("<h1>example-shoes.com</h1><p>This domain is for sale. Make an offer!</p>", "example-shoes.com"),
    ),
    "parked-script": (
        "parked_domain",
        page("<div id=target></div><script>window.park = 'eyJ1'</script>", "example-shoes.com"),
    ),
    "parked-lander": (
        "parked_domain",
        page('<script>window.onload=function(){window.location.href="/lander"}</script>'),
    ),
    "parked-expired": (
        "parked_domain",
        page("<p>This domain has expired. Is it yours?</p>", "example-shoes.com"),
    ),
    "parked-new": ("parked_domain", page("<p>This domain was recently registered.</p>", "example-shoes.com")),
    "parked-courtesy": (
        "parked_domain",
        page("<p>This Web page is parked free, courtesy of a registrar.</p>", "example-shoes.com"),
    ),
}

SHELLS = {
    "react": page("<div id='root'></div><script src=/main.js></script>", "App"),
    "next-loading": page("<div id='__next'></div><p>Loading…</p><script>self.__next_f=[]</script>", "Acme"),
    "noscript-notice": page(
        "<noscript>You need to enable JavaScript to run this app.</noscript><main>Menu Home News About</main>"
        "<p>One moment please while we fetch the latest stories for you today</p><script src=a.js></script>",
        "News",
    ),
    "angular": page("<app-root></app-root><script type=module src=main.js></script>", "Portal"),
    "nothing-but-scripts": page("<script src=a.js></script><script src=b.js></script>", "Something"),
    "forwarding": page("", "", "<meta http-equiv='Refresh' content='0; URL=/en/'>"),
}


def judged(html: str) -> tuple[str, str | None]:
    # Extraction leaves navigation out; the verdict sees it in the source.
    text = canonicalize(sanitize_html(html.replace(NAVIGATION, ""), "https://site.example/a"))
    verdict = page_verdict(html, text=text, url="https://site.example/a", status=200)
    return verdict.outcome, verdict.reason


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_is_named(name: str) -> None:
    reason, html = WALLS[name]
    assert judged(html) == ("blocked_page", reason)


@pytest.mark.parametrize("name", SHELLS)
def test_a_page_without_text_of_its_own_needs_a_browser(name: str) -> None:
    assert judged(SHELLS[name]) == ("needs_browser", "javascript_shell")


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_is_named_even_when_extraction_found_nothing(name: str) -> None:
    reason, html = WALLS[name]
    assert page_verdict(html, text="", url="https://site.example/a").reason == reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://consent.youtube.com/m?continue=x", "consent_wall"),
        ("https://guce.yahoo.com/consent", "consent_wall"),
        ("https://www.linkedin.com/authwall?trk=x", "login_wall"),
        ("https://www.instagram.com/accounts/login/?next=/p/", "login_wall"),
    ],
)
def test_the_final_address_can_tell(url: str, reason: str) -> None:
    text = "A few lines about something else entirely, in a language we have no phrases for."
    assert page_verdict(f"<p>{text}</p>", text=text, url=url).reason == reason


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "login_wall"), (403, "error_page"), (404, "error_page"), (503, "error_page")]
)
def test_an_error_status_is_never_an_article(status: int, reason: str) -> None:
    text = "word " * 900
    verdict = page_verdict(f"<p>{text}</p>", text=text, status=status)
    assert (verdict.outcome, verdict.reason) == ("blocked_page", reason)
    assert str(status) in verdict.evidence


def test_the_wall_is_named_before_the_status() -> None:
    html = WALLS["cloudflare-challenge"][1]
    assert page_verdict(html, text="", status=403).reason == "bot_wall"


@pytest.mark.parametrize("html", ["", " ", "\x00", "<", "<html></html>", "\ud800<title>\udfff"])
def test_an_empty_or_broken_page_is_judged_without_failing(html: str) -> None:
    assert page_verdict(html, text="").outcome == "ok"
