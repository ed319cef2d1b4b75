"""What an embed shows, and the address at which a person can open it."""

import re
from urllib.parse import parse_qs, urlsplit

# Frames that are no part of a text: advertisements, counters, consent and sign-in dialogs, forms, buttons to share.
_UNWANTED = re.compile(
    r"doubleclick|googlesyndication|googletagmanager|/ns\.html|adservice|adserver|adsystem|adnxs|usersync|usync"
    r"|outbrain|taboola|criteo|mgid|quantserve|optimizely|analytics|tracking|pixel|beacon|captcha|storagehub|safeframe"
    r"|\bads?[./?_-]|banner|consent|(?<!no)cookie|privacy-mgmt|onetrust|log-?in\b|sign-?in|sign-?up|oauth|accounts\."
    r"|newsletter|subscribe|contact-?form|comments?\b|disqus|\bchat|stripe\.com|chargebee|/likes/|likebox|like\.php"
    r"|plugins/(?:like|page|share|follow|comments)|tweet_button|follow_button|addthis|sharethis|(?<![a-z])share[./_-]"
)
_UNWANTED_TITLE = re.compile(
    r"\bads?\b|advert|sponsored|captcha|\bconsent|\bcookies?\b|privacy|\bsign[ -](?:in|up)|\blog-? ?in\b|newsletter"
    r"|\bcomments\b|(?:share|like|follow|tweet) button"
)
# Their addresses hold numbers and settings made of any letters ("/embed/Ad_x1y2z3", "show_comments=true").
_KNOWN_HOSTS = frozenset(
    (
        "bandcamp.com",
        "codepen.io",
        "dailymotion.com",
        "gist.github.com",
        "open.spotify.com",
        "player.twitch.tv",
        "player.vimeo.com",
        "slideshare.net",
        "soundcloud.com",
        "speakerdeck.com",
        "vimeo.com",
        "w.soundcloud.com",
        "youtu.be",
        "youtube-nocookie.com",
        "youtube.com",
    )
)
_NOT_PLAYERS = re.compile(r"youtube\.com/(?:live_chat|subscribe|subscribe_embed)\b")
_KINDS = (
    ("Map", re.compile(r"/maps?\b|\bmaps?\.|openstreetmap|umap\.")),
    ("Audio", re.compile(r"spotify|soundcloud|podcast|audio|bandcamp|megaphone\.|simplecast|libsyn|/music/")),
    ("Video", re.compile(r"youtu\.?be|vimeo|dailymotion|video|twitch\.tv|bilibili|wistia|brightcove|player|tiktok")),
    ("Post", re.compile(r"twitter\.com|//x\.com|instagram|facebook|bsky\.app|mastodon|threads\.net|reddit")),
    ("Document", re.compile(r"\.pdf\b|docs\.google|slideshare|scribd|issuu|speakerdeck")),
)  # fmt: skip
_OTHER_KIND = "Embedded page"
_EMBEDDED = re.compile(r"embed|chart|graph|gist\.|codepen|flourish|datawrapper|infogram")
# Players that show nothing but the player: the page of the same thing is better to open.
_PAGES = (
    (re.compile(r"^https?://[\w.-]*youtube(?:-nocookie)?\.com/(?:embed|v|shorts)/(?!videoseries)([\w-]{6,})"), r"https://www.youtube.com/watch?v=\1"),
    (re.compile(r"^https?://player\.vimeo\.com/video/(\d+)"), r"https://vimeo.com/\1"),
    (re.compile(r"^https?://(?:www|geo)\.dailymotion\.com/embed/video/(\w+)"), r"https://www.dailymotion.com/video/\1"),
    (re.compile(r"^https?://open\.spotify\.com/embed(?:-podcast)?/(\w+/\w+)"), r"https://open.spotify.com/\1"),
    (re.compile(r"^(https?://codepen\.io/[\w-]+)/embed/(?:preview/)?(\w+)"), r"\1/pen/\2"),
    (re.compile(r"^(https?://gist\.github\.com/[\w-]+/\w+)\.js"), r"\1"),
)  # fmt: skip
_NAMED = ("url", "href")
_MAX_URL_CHARS = 2_000


def is_unwanted(url: str, title: str = "") -> bool:
    if len(url) > _MAX_URL_CHARS:
        return True
    lower = url.lower()
    if host_of(lower) in _KNOWN_HOSTS:
        return _NOT_PLAYERS.search(lower) is not None
    # Settings after the "?" say what a player shows besides, not what it is.
    place = lower.partition("#")[0].partition("?")[0]
    if _UNWANTED.search(place) is not None:
        return True
    # The title of a video may be about anything; that of a frame without a kind is often all there is.
    return kind_of(url) in ("", _OTHER_KIND) and _UNWANTED_TITLE.search(title.lower()) is not None


def kind_of(url: str) -> str:
    """What an address names, "" if it says nothing."""
    lower = url.lower()
    kind = next((kind for kind, pattern in _KINDS if pattern.search(lower)), "")
    return kind or (_OTHER_KIND if _EMBEDDED.search(lower) else "")


def page_url(url: str) -> str:
    absolute = f"https:{url}" if url.startswith("//") else url
    for pattern, page in _PAGES:
        found = pattern.match(absolute)
        if found:
            return found.expand(page)
    try:
        query = parse_qs(urlsplit(absolute).query)
    except ValueError:
        return absolute
    # SoundCloud, Facebook and others name the page in a parameter of the player's address.
    named = (query.get(name, [""])[0] for name in _NAMED)
    pages = (each for each in named if each.startswith(("https://", "http://")))
    # "api.soundcloud.com/tracks/1" is for programs: the player itself is the better page.
    return next((each for each in pages if not host_of(each).startswith("api.")), absolute)


def host_of(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
