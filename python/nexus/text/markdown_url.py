"""Addresses in Markdown. Apart from markdown.py, which loads a parser that few processes need."""

_ENDS_URL = str.maketrans({"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E"})


def escape_url(url: str) -> str:
    return url.translate(_ENDS_URL)
