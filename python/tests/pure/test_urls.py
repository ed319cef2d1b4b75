import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nexus.errors import BlockedAddressError, InvalidUrlError
from nexus.web.public_address import AllowList
from nexus.web.urls import check_url, normalize_url, route_of

NOBODY = AllowList()


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:443/a", "http://example.com:443/a"),
        ("https://example.com/a#part", "https://example.com/a"),
        ("https://example.com/?", "https://example.com/"),
        ("https://example.com/a?#", "https://example.com/a"),
        ("https://example.com/?#x", "https://example.com/"),
        ("https://example.com/a?b=2&a=1&utm_source=x", "https://example.com/a?b=2&a=1&utm_source=x"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        ("https://example.com/a/%2e%2E/b", "https://example.com/b"),
        ("https://example.com//a//", "https://example.com//a//"),
        ("https://example.com/Path", "https://example.com/Path"),
        ("https://bücher.example/ü?ü", "https://xn--bcher-kva.example/%C3%BC?%C3%BC"),
        ("https://EXAMPLE。com/", "https://example.com/"),
        ("  https://example.com/a\tb\n ", "https://example.com/ab"),
        ("https:\\\\example.com\\a", "https://example.com/a"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[2001:DB8::0:1]/", "http://[2001:db8::1]/"),
        ("https://example.com/a b|c", "https://example.com/a%20b|c"),
        ("https:example.com", "https://example.com/"),
        ("https://example.com/app#/one", "https://example.com/app#/one"),
        ("https://example.com/app?#/one", "https://example.com/app#/one"),
        ("https://example.com/app#!one", "https://example.com/app#!one"),
        ("https://example.com/app#!/one?a=b", "https://example.com/app#!/one?a=b"),
        ("https://example.com/app#/caf\u00e9 au lait", "https://example.com/app#/caf%C3%A9%20au%20lait"),
        ("https://example.com/app#/one:~:text=word", "https://example.com/app#/one"),
        ("https://example.com/app#/", "https://example.com/app"),
        ("https://example.com/app#!", "https://example.com/app"),
        ("https://example.com/app#!/", "https://example.com/app"),
        ("https://example.com/app#one/two", "https://example.com/app"),
        ("https://example.com/app#:~:text=/word", "https://example.com/app"),
    ],
)
def test_one_way_to_write_it(url: str, canonical: str) -> None:
    assert normalize_url(url) == canonical


NO_WEB_ADDRESS = [
    *("", " ", "example.com", "/a", "//example.com/", "http://", "http://exa mple.com/", "http://a.b:99999/"),
    *("http://[::1", "http://1.2.3.4.5.256/", "http://a\0b/", "http://\ud800/", "http://%zz/"),
    *(
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:,x",
        "about:blank",
        "ws://a.b/",
    ),
]


@pytest.mark.parametrize("url", NO_WEB_ADDRESS)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidUrlError) as caught:
        normalize_url(url)
    assert (caught.value.code, caught.value.status) == ("invalid_url", 400)


PARTS = st.sampled_from(
    [
        *(
            "http://",
            "https://",
            "HTTPS:",
            "example.com",
            "EX\u00c4MPLE.org",
            "127.1",
            "[::1]",
            ":80",
            ":443",
        ),
        *(
            ":8080",
            "/",
            "//",
            "/a",
            "/..",
            "/.",
            "%2e",
            "\\",
            "?",
            "?a=b",
            "&c",
            "#",
            "#f",
            "#/r",
            "#!",
            "@",
            "u:p@",
            " ",
        ),
        *("\t", "\u00a0", "\u00e9", "%", "%41"),
    ]
)


@given(st.lists(PARTS, min_size=1, max_size=9).map("".join) | st.text().map("http://h/".__add__))
@settings(max_examples=500)
def test_normalising_twice_changes_nothing_and_agrees_with_the_standard(url: str) -> None:
    try:
        canonical = normalize_url(url)
    except InvalidUrlError:
        return
    assert normalize_url(canonical) == canonical
    expected = ada_url.URL(url)
    actual = ada_url.URL(canonical)
    assert actual.href == canonical
    for part in ("protocol", "username", "password", "host", "pathname", "search"):
        assert getattr(actual, part) == getattr(expected, part)
    assert actual.hash == route_of(url)
    assert bool(actual.hash) == ("#" in canonical)
    assert not actual.hash or actual.hash.startswith(("#/", "#!"))
    assert bool(actual.search) == ("?" in canonical.partition("#")[0])  # a route may hold a question mark


OWN_NETWORK = """
    http://127.0.0.1/ http://127.1 http://2130706433/ http://0x7f000001/ http://0177.0.0.1/ http://127.0.0.1./
    http://0x7f.0.0.0x1/ http://017700000001/ http://\uff11\uff12\uff17.0.0.1/ http://127\u30020\u30020\u30021/
    http://[::1]/ http://[0:0:0:0:0:0:0:1]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/
    http://[::127.0.0.1]/ http://[64:ff9b::127.0.0.1]/ http://[2002:7f00:1::]/
    http://[2001:0:808:808::80ff:fffe]/ http://0/ http://0.0.0.0/ http://[::]/
    http://localhost/ http://LOCALHOST:8080/ http://localhost./ http://a.localhost/ http://\uff4cocalhost/
    http://169.254.169.254/latest http://[fe80::1]/ http://10.0.0.1/ http://192.168.1.1/ http://172.16.0.1/
    http://100.64.0.1/ http://[fc00::1]/ http://printer.local/ http://PRINTER.LOCAL./
    http://metadata.google.internal/ http://internal/ https://local/
    http://169.254.169.254\\@example.com/ http://127.0.0.1:80#@example.com/
"""


@pytest.mark.parametrize("url", OWN_NETWORK.split())
def test_an_address_of_our_own_network_is_blocked_in_every_spelling(url: str) -> None:
    with pytest.raises(BlockedAddressError) as caught:
        check_url(url, max_length=2048, allow=NOBODY)
    assert (caught.value.code, caught.value.status) == ("blocked_address", 400)


@pytest.mark.parametrize("url", ["http://u@example.com/", "http://u:p@example.com/", "http://:p@example.com/"])
def test_credentials_in_a_link_are_refused(url: str) -> None:
    with pytest.raises(InvalidUrlError, match="user name"):
        check_url(url, max_length=2048, allow=NOBODY)


def test_a_link_that_is_too_long_is_refused() -> None:
    url = "https://example.com/" + "a" * 30
    assert check_url(url, max_length=50, allow=NOBODY) == url
    with pytest.raises(InvalidUrlError, match="49"):
        check_url(url, max_length=49, allow=NOBODY)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "http://8.8.8.8/",
        "http://[2606:4700::1]/",
        "http://notlocal/",
        "http://local.example/",
    ],
)
def test_public_sites_pass(url: str) -> None:
    assert check_url(url, max_length=2048, allow=NOBODY) == url


def test_ports_that_no_browser_opens_are_blocked_unless_the_allow_list_names_them() -> None:
    for port in (0, 22, 25, 6000, 6667, 10080):
        with pytest.raises(BlockedAddressError, match=str(port)):
            check_url(f"https://example.com:{port}/", max_length=2048, allow=NOBODY)
    allow = AllowList.parse(["example.com:6000"])
    assert check_url("http://example.com:6000/", max_length=2048, allow=allow) == "http://example.com:6000/"


def test_the_allow_list_lets_exactly_its_entries_pass() -> None:
    allow = AllowList.parse(["localhost:8080", "10.1.0.0/16", "[::1]:81", "printer.local:80"])
    for url in ("http://localhost:8080/", "http://10.1.2.3/", "http://[::1]:81/", "http://printer.local/"):
        assert check_url(url, max_length=2048, allow=allow) == url
    for url in (
        "http://localhost/",
        "http://10.2.0.1/",
        "http://[::1]/",
        "http://127.0.0.1:8080/",
        "https://printer.local/",
    ):
        with pytest.raises(BlockedAddressError):
            check_url(url, max_length=2048, allow=allow)


def test_an_allowed_host_may_still_not_carry_credentials() -> None:
    with pytest.raises(InvalidUrlError):
        check_url("http://u@localhost:8080/", max_length=2048, allow=AllowList.parse(["localhost:8080"]))
