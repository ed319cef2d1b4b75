"""Why an attempt failed, in a sentence for users."""

import re
from http import HTTPStatus

# Links that are not pages and have messages of their own.
FEED = "This is a feed, not a page. Save the links of its articles instead."
PODCAST_FEED = "This is a podcast feed, not a page. Follow it under Podcasts, or save the page of one episode."
_REASONS = {
    "invalid_url": "This is not a web address that can be fetched.",
    "blocked_address": "The address is on a private network or a port not used for web pages, so it is not fetched.",
    "timeout": "The site did not respond in time.",
    "connection_error": "The connection to the site failed.",
    "tls_error": "No secure connection to the site could be made; its certificate may be invalid.",
    "too_many_redirects": "The site redirected too many times.",
    "non_html": "The address leads to a file that is not a web page.",
    "max_bytes_exceeded": "The page is larger than this server reads.",
    "empty_extraction": "The page has no text that could be read.",
    "too_short": "The page has only a few words, so this may not be the article.",
    "blocked_page": "The site showed something else instead of the page.",
    "render_failed": "The page could not be loaded in a browser.",
    "render_timeout": "The page did not finish loading in a browser in time.",
    "sanitization_failed": "The page's markup cannot be stored safely.",
    "worker_lost": "The worker that processed this stopped unexpectedly; nothing of that attempt was kept.",
    "internal_error": "Something went wrong on our side; the server's log has the details.",
}
# By the first word of an attempt's detail, where it is more precise than the code.
_BY_DETAIL = {
    "app_route": "This part of the site can only be shown by a browser.",
    "bot_wall": "The site asked for proof that the visitor is human, such as a captcha.",
    "consent_wall": "The site showed only its cookie notice.",
    "error_page": "The site showed an error page instead.",
    "javascript_shell": "The page shows its text only in a browser.",
    "login_wall": "The site asks for a login before it shows the page.",
    "parked_domain": "The site is gone; its address is parked or for sale.",
    "paywall": "The site shows the whole article to subscribers only.",
    "refusal": "The site refused to show the page.",
    "slow_reading": "The page took too long to read.",
    "soft_404": "The site says that there is no such page.",
}
_BY_STATUS = {
    401: "The site asks for a login before it shows the page (401).",
    402: "The site asks for a payment before it shows the page (402).",
    403: "The site refused the request (403).",
    404: "The site has no page at this address (404).",
    408: "The site gave up waiting for the request (408).",
    410: "The site says that the page is gone for good (410).",
    429: "The site has received too many requests (429).",
    451: "The site may not show the page for legal reasons (451).",
}
_SERVER_ERROR = 500
_FIRST_WORD = re.compile(r"[a-z0-9_]+")


def explain(error_code: str, detail: str | None = None) -> str:
    """`detail` is the attempt's own: a sentence for people, or text that begins with the reason behind the code."""
    if detail in (FEED, PODCAST_FEED):
        return detail
    found = _FIRST_WORD.match(detail or "")
    known = (_BY_DETAIL.get(found[0]) if found and error_code in _REASONS else None) or _REASONS.get(error_code)
    if known:
        return known
    number = error_code.removeprefix("http_")
    if error_code.startswith("http_") and number.isdecimal():
        return _explain_status(int(number))
    return f"The attempt failed ({error_code.replace('_', ' ')})."


def _explain_status(status: int) -> str:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    try:
        phrase = f" ({HTTPStatus(status).phrase})"
    except ValueError:
        phrase = ""
    what = "The site has an internal problem" if status >= _SERVER_ERROR else "The site refused the request"
    return f"{what}: it responded with {status}{phrase}."
