from itertools import product

from playwright.sync_api import Page

from nexus.errors import InvalidUrlError
from nexus.web.urls import normalize_url

SCHEMES = ["http://", "HTTPS://", "http:/", "https:", "http:\\\\", " \thttp://", "ftp://", "javascript:", ""]
HOSTS = [
    *(
        "example.com",
        "EXAMPLE.com.",
        "b\u00fccher.example",
        "stra\u00dfe.example",
        "xn--bcher-kva.example",
        "a_b.c",
    ),
    *("127.1", "0x7f.0.0.1", "017700000001", "4294967296", "1.2.3.4.", "1.2.3.256", "\uff11\uff12\uff17.1"),
    *(
        "[::1]",
        "[0:0::1]",
        "[::ffff:1.2.3.4]",
        "[1::2::3]",
        "[::1%25eth0]",
        "a%41.com",
        "a%00b",
    ),
    *(
        "user@example.com",
        "u:p@example.com",
        "a@b@example.com",
        "\u200bexample.com",
        "ex\u00adample.com",
        "",
        "-",
    ),
]
TAILS = [
    *(
        "",
        "/",
        ":80",
        ":443/",
        ":8080/x",
        ":99999",
        ":0/",
        ":/x",
        "/a/../b/./c",
        "/a/%2e%2E/b",
        "/..",
        "//x//",
    ),
    *(
        "?",
        "?#",
        "#f",
        "/?q=a b&c='\"<>`",
        "/\u00e9?\u00e9#\u00e9",
        "\\x\\y",
        "/%zz%",
        "/ab{c}^",
        "?a=1?b=2",
        "/\t\n/x",
    ),
    *("#/one", "?#!two", "/a#/", "/a#!", "#!/", '#/\u00e9 <>`"{}|', "#/a:~:text=b", "#x/y"),
]
# No "|" in a path, no space in a host: Chromium escapes both, the standard keeps the one, refuses the other.
URLS = ["".join(parts) for parts in product(SCHEMES, HOSTS, TAILS)]

BY_CHROMIUM = """(urls) => urls.map((text) => {
  try {
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) return null;
    const route = url.hash.split(":~:")[0];
    url.hash = /^#(\\/.|!(?!\\/?$))/.test(route) ? route : "";
    if (!url.search) url.search = "";
    return url.href;
  } catch {
    return null;
  }
})"""


def normalized(url: str) -> str | None:
    try:
        return normalize_url(url)
    except InvalidUrlError:
        return None


def test_we_write_addresses_as_chromium_does(page: Page) -> None:
    theirs: list[str | None] = page.evaluate(BY_CHROMIUM, URLS)
    ours = [normalized(url) for url in URLS]
    differences = [found for found in zip(URLS, ours, theirs, strict=True) if found[1] != found[2]]
    assert differences == []
    assert sum(url is not None for url in ours) > len(URLS) / 3
