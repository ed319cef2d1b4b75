"""Whether a response is the page itself or a wall (captcha, login, error), which must not be stored as an article."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from selectolax.lexbor import LexborHTMLParser

from nexus.text.html_limits import cut_deep_nesting, cut_long_tags
from nexus.text.html_tree import TEXT, walk, word_set
from nexus.text.verdict_patterns import Reason, WallPattern, patterns

# No known wall has more words; a page with more is judged by its status alone, without parsing it again.
MAX_WALL_WORDS = 600
# A page that shows more words is not a notice, so its menus and footers are not searched for phrases.
MAX_NOTICE_WORDS = 250
# Not in words: one can be 2 MB long, and a hundred patterns take seconds for that.
MAX_HEADLINE_CHARS = 300
MAX_BODY_CHARS = 20_000
MAX_SOURCE_CHARS = 200_000

# At most this many words beside the headline of a login form, and in the lead of a paid article.
MAX_LOGIN_WORDS = 150
MAX_LEAD_WORDS = 150
# A JavaScript shell has no text and shows "Loading…", perhaps a menu; fewer than
# MIN_CONTENT_WORDS are no content at all.
MAX_SHELL_WORDS = 30
MAX_SHELL_VISIBLE_WORDS = 60
MIN_CONTENT_WORDS = 15
MIN_CONSENT_SHARE = 0.6
FIRST_ERROR_STATUS = 400
UNAUTHORIZED = 401

UNSEEN_TAGS = word_set("script style noscript template svg head title textarea select iframe object")
EMPTY_ROOTS = "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, app-root, [ng-app], [data-reactroot]"
NOT_FREE = re.compile(r'"isaccessibleforfree"\s*:\s*"?false')

_word = re.compile(r"\w+")
_dense_script = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_title_separator = re.compile(" [|\u2013\u2014\u00b7\u2022\u00bb:-]+ | ?[|\u00bb\u00b7\u2022] ?")
_sentence_end = re.compile(r"(?<=[.!?。])\s+")


@dataclass(frozen=True)
class Verdict:
    outcome: Literal["ok", "blocked_page", "needs_browser"]
    reason: Reason | None = None
    evidence: str = ""


OK = Verdict("ok")


def page_verdict(html: str, *, text: str, title: str = "", url: str = "", status: int | None = None) -> Verdict:
    """`text` is the text extracted from `html`; `url` and `status` are those of the last response."""
    if words_to_compare(text) <= MAX_WALL_WORDS:
        page = _Page(html, text, title, url)
        found = _wall(page) or _consent(page) or _login(page) or _paid(page) or _shell(page)
        if found is not None:
            return found
    if status is not None and status >= FIRST_ERROR_STATUS:
        reason: Reason = "login_wall" if status == UNAUTHORIZED else "error_page"
        return Verdict("blocked_page", reason, f"The site responded with status {status}.")
    return OK


def words_to_compare(text: str) -> int:
    """So that a limit means the same in each script: without spaces, two characters count as a word."""
    dense = len(_dense_script.findall(text))
    return len(_word.findall(_dense_script.sub(" ", text) if dense else text)) + dense // 2


class _Page:
    def __init__(self, html: str, text: str, title: str, url: str) -> None:
        self.source = html[:MAX_SOURCE_CHARS].lower()
        self.text = _plain(text)
        self.words = words_to_compare(text)
        self.url = url.lower()
        self._tree = LexborHTMLParser(cut_deep_nesting(cut_long_tags(html)))
        self._title = title
        self._lines = text.strip().split("\n")

    @cached_property
    def titles(self) -> list[str]:
        node = self._tree.css_first("title")
        wholes = [self._title, node.text() if node is not None else ""]
        parts = [part for whole in wholes for part in _title_separator.split(" ".join(whole.split()))]
        return _headlines(*wholes, *parts, self._lines[0])

    @cached_property
    def headlines(self) -> list[str]:
        return [*self.titles, *_headlines(*(heading.text() for heading in self._tree.css("h1, h2")[:3]))]

    @cached_property
    def shown(self) -> list[str]:
        return [node.text_content or "" for node, tag, _ in walk(self._tree.root, UNSEEN_TAGS) if tag == TEXT]

    @cached_property
    def visible(self) -> str:
        return _plain(" ".join(self.shown))

    @cached_property
    def sentences(self) -> list[str]:
        return [_plain(part) for line in self.shown for part in _sentence_end.split(line) if part.strip()]

    @cached_property
    def visible_words(self) -> int:
        return words_to_compare(self.visible)

    @cached_property
    def body(self) -> str:
        searched = f"{self.text} {self.visible}" if self.visible_words <= MAX_NOTICE_WORDS else self.text
        return searched[:MAX_BODY_CHARS]

    @cached_property
    def asks_for_password(self) -> bool:
        return self._tree.css_first('input[type="password" i]') is not None

    @cached_property
    def has_scripts(self) -> bool:
        return self._tree.css_first("script, link[rel=modulepreload], link[as=script]") is not None

    def only_forwards(self) -> bool:
        return self._tree.css_first('meta[http-equiv="refresh" i][content*="url" i]') is not None

    def says_script_is_needed(self) -> bool:
        notices = " ".join(node.text() for node in self._tree.css("noscript"))
        return patterns().script_needed.search(_plain(f"{notices} {self.visible}")) is not None

    def has_empty_root(self) -> bool:
        return any(not node.text().strip() for node in self._tree.css(EMPTY_ROOTS))


def _headlines(*texts: str) -> list[str]:
    return [_plain(text) for text in texts if text.strip() and len(text) <= MAX_HEADLINE_CHARS]


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").lower().split())


def _wall(page: _Page) -> Verdict | None:
    for wall in patterns().walls:
        if page.words > wall.max_words:
            continue
        match = _find(wall, page)
        if match is not None:
            return Verdict("blocked_page", wall.reason, match)
    return None


def _find(wall: WallPattern, page: _Page) -> str | None:
    if wall.where == "headline":
        return next((headline for headline in page.headlines if wall.pattern.fullmatch(headline)), None)
    where = {"body": page.body, "url": page.url, "source": page.source}[wall.where]
    # A script in the source counts only on a page that shows as little as a wall does.
    if wall.where == "source" and page.visible_words > wall.max_words:
        return None
    match = wall.pattern.search(where)
    return match[0] if match else None


def _consent(page: _Page) -> Verdict | None:
    """Most sentences of the page are about cookies, and it offers a choice."""
    if page.visible_words > MAX_WALL_WORDS:
        return None
    about = [sentence for sentence in page.sentences if patterns().consent_words.search(sentence)]
    share = words_to_compare(" ".join(about)) / max(1, words_to_compare(" ".join(page.sentences)))
    if len(about) > 1 and share >= MIN_CONSENT_SHARE and any(map(patterns().consent_choice.search, page.sentences)):
        return Verdict("blocked_page", "consent_wall", about[0][:200])
    return None


def _login(page: _Page) -> Verdict | None:
    if page.words > MAX_LOGIN_WORDS or not page.asks_for_password:
        return None
    # Shops have a hidden login form, with that heading, on every page.
    for headline in page.headlines if page.visible_words <= MAX_NOTICE_WORDS else page.titles:
        if patterns().login_headline.fullmatch(headline):
            return Verdict("blocked_page", "login_wall", headline)
    return None


def _paid(page: _Page) -> Verdict | None:
    if page.words <= MAX_LEAD_WORDS and NOT_FREE.search(page.source):
        return Verdict("blocked_page", "paywall", "The page says that its article is not free to read.")
    return None


def _shell(page: _Page) -> Verdict | None:
    if page.words >= MAX_SHELL_WORDS or page.visible_words >= MAX_SHELL_VISIBLE_WORDS:
        return None
    if page.only_forwards():
        return Verdict("needs_browser", "javascript_shell", "The page only redirects to another one.")
    if page.has_scripts and (
        page.has_empty_root() or page.says_script_is_needed() or page.visible_words < MIN_CONTENT_WORDS
    ):
        return Verdict("needs_browser", "javascript_shell", "The page builds its text with JavaScript.")
    return None
