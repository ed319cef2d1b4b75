"""Why an attempt failed, in a sentence for a person: what happened, and what can be done about it."""

from http import HTTPStatus

_PASTE = "You can paste the text instead."
# Two of the things that are no web page, told apart for whoever saved one.
FEED = "This is a feed, not a page. Save the links of its articles instead."
PODCAST_FEED = "This is a podcast feed, not a page. Follow it under Podcasts, or save the page of one episode."
_REASONS = {
    "invalid_url": "This is not a web address that can be fetched.",
    "blocked_address": "The address leads to a private or reserved network, which is never fetched.",
    "timeout": "The site did not answer in time.",
    "connection_error": "No connection to the site could be made; its name or its server may be gone.",
    "tls_error": "The site's certificate or encryption is broken, so what it sends cannot be trusted.",
    "too_many_redirects": "The site sends visitors round in circles.",
    "non_html": "The address leads to a file that is not a web page.",
    "max_bytes_exceeded": "The page is larger than this server reads.",
    "empty_extraction": f"The page holds no text that could be read. {_PASTE}",
    "too_short": f"The page holds only a few words, so this may not be the article. {_PASTE}",
    "blocked_page": f"The site showed a wall (a captcha, a login or a cookie wall) instead of the page. {_PASTE}",
    "render_failed": "The page needs a browser, and the browser could not load it.",
    "render_timeout": "The page needs a browser, and the browser did not finish in time.",
    "sanitization_failed": "The page's markup has no form that could be kept safely.",
    "worker_lost": "The worker that had this was lost; nothing of the page was kept from that attempt.",
    "internal_error": "Something went wrong on our side; the server's log has the details.",
}
_BY_STATUS = {
    401: f"The site wants a login before it shows the page. {_PASTE}",
    402: f"The site wants to be paid before it shows the page. {_PASTE}",
    403: f"The site refuses to show the page to this server. {_PASTE}",
    404: "The site has no page at this address (any more).",
    408: "The site gave up waiting.",
    410: "The site says the page is gone for good.",
    429: "The site asks to be called less often.",
    451: "The site may not show the page for legal reasons.",
}
_SERVER_ERROR = 500


def explain(error_code: str, detail: str | None = None) -> str:
    """``detail``: what the attempt noted; only what is written for people is passed on."""
    if detail in (FEED, PODCAST_FEED):
        return detail
    known = _REASONS.get(error_code)
    if known:
        return known
    number = error_code.removeprefix("http_")
    if error_code.startswith("http_") and number.isdecimal():
        return _explain_status(int(number))
    return f"It did not work ({error_code.replace('_', ' ')})."


def _explain_status(status: int) -> str:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    try:
        phrase = f" ({HTTPStatus(status).phrase})"
    except ValueError:
        phrase = ""
    who = "The site has a problem of its own" if status >= _SERVER_ERROR else "The site refused the request"
    return f"{who}: it answered {status}{phrase}."
