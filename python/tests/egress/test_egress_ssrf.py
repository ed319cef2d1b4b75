"""No spelling, redirect or DNS answer leads to the canary."""

from collections.abc import Callable, Sequence

import pytest

from nexus.errors import BlockedAddressError, ConnectionFailedError, EgressError, InvalidUrlError
from nexus.web.egress import Egress
from nexus.web.fetch_html import fetch_html
from tests.egress.sites import PUBLIC, Canary, Site, canary_on, redirect, text

# With the canary's port: loopback, and what leads to it, in every spelling.
LOOPBACK = """
    127.0.0.1 127.1 127.0.1 0x7f.1 0x7f000001 0X7F.0x0.0x0.0x1 2130706433 017700000001 0177.0.0.1 0177.0.0.01
    127.0.0.1. 127.00000.00000.1 %31%32%37.0.0.1 %6c%6fcalhost \u24dbocalhost
    \uff11\uff12\uff17.\uff10.\uff10.\uff11 127\u30020\u30020\u30021 \u2460\u2461\u2466.0.0.1
    localhost LOCALHOST localhost. app.localhost localhost.localdomain.localhost 0 0.0.0.0 0x0 00 000.000.000.000
    [::1] [0:0:0:0:0:0:0:1] [::0001] [::] [0::0] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:127.0.0.1] [::127.0.0.1]
    [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:1::1]
    [2001:0:7f00:1::f7f7:f7f7] [2606:4700::5efe:127.0.0.1] 127.255.255.254 127.0.0.3
"""
ELSEWHERE = """
    10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 169.254.170.2 100.64.0.1
    100.100.100.200 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
    255.255.255.255 168.63.129.16 0xa9fea9fe 2852039166 0251.0376.0251.0376 [fe80::1] [fec0::1] [fc00::1]
    [fd00:ec2::254]
    [ff02::1] [100::1] [2001:db8::1] [::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::1] [::ffff:10.0.0.1]
    printer.local router.LOCAL. metadata.google.internal internal local
"""


@pytest.mark.parametrize("host", LOOPBACK.split())
def test_loopback_in_every_spelling(canary: Canary, egress: Egress, host: str) -> None:
    with pytest.raises((BlockedAddressError, InvalidUrlError)):
        egress.fetch(f"http://{host}:{canary.port}/")


@pytest.mark.parametrize("host", LOOPBACK.split())
def test_a_redirect_to_loopback_in_every_spelling(site: Site, canary: Canary, egress: Egress, host: str) -> None:
    site.routes["/"] = redirect(f"http://{host.encode().decode('latin-1')}:{canary.port}/")
    with pytest.raises((BlockedAddressError, InvalidUrlError)) as refused:
        egress.fetch(site.url())
    assert refused.value.final_url == site.url("/")


@pytest.mark.parametrize("host", ELSEWHERE.split())
def test_what_is_private_or_reserved(egress: Egress, host: str) -> None:
    for scheme in ("http", "https"):
        with pytest.raises(BlockedAddressError) as refused:
            egress.fetch(f"{scheme}://{host}/latest/meta-data")
        assert (refused.value.code, refused.value.retryable) == ("blocked_address", False)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}\\@127.0.0.2/",
        "http://127.0.0.2@127.0.0.1:{port}/",
        "http://127.0.0.2:80@127.0.0.1:{port}/",
        "http://127.0.0.2#@127.0.0.1:{port}/",
        "http://127.0.0.2%40127.0.0.1:{port}/",
        "http:127.0.0.1:{port}/",
        "http:/127.0.0.1:{port}/",
        "http:\\\\127.0.0.1:{port}\\",
        "http:///127.0.0.1:{port}/",
        "ht\ntp://127.0.0.1:{port}/",
        "\x01 http://127.0.0.1:{port}/",
        "http://127.0.0.\t1:{port}/",
        "http://127.0.0.1\u3002:{port}/",
        "http://[::1]:{port}/",
        "http://[::1%25lo]:{port}/",
        "//127.0.0.1:{port}/",
        "127.0.0.1:{port}/",
        "file:///etc/passwd",
        "FILE://127.0.0.1/etc/passwd",
        "ftp://127.0.0.1:{port}/",
        "gopher://127.0.0.1:{port}/_GET",
        "dict://127.0.0.1:{port}/",
        "ws://127.0.0.1:{port}/",
        "data:text/html,hello",
        "javascript:alert(1)",
        "about:blank",
        "view-source:http://127.0.0.1:{port}/",
        "blob:http://127.0.0.1:{port}/1",
        "unix:///run/docker.sock",
        "http://",
        "http://:{port}/",
        "http://127.0.0.1:{port}0000/",
    ],
)
def test_confusing_urls(site: Site, canary: Canary, new_egress: Callable[..., Egress], url: str) -> None:
    """Those that do name the public address fail there, because nothing listens on that port."""
    egress = new_egress(resolver=lambda *_: ())
    with pytest.raises(EgressError) as refused:
        egress.fetch(url.format(port=canary.port))
    assert refused.value.code in ("blocked_address", "invalid_url", "connection_error")
    site.routes["/"] = redirect(url.format(port=canary.port).encode("unicode_escape").decode())
    with pytest.raises(EgressError):
        egress.fetch(site.url())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("hops", [1, 3])
def test_every_kind_of_redirect_however_late(
    site: Site, canary: Canary, egress: Egress, status: int, hops: int
) -> None:
    for hop in range(hops - 1):
        site.routes[f"/{hop}"] = redirect(f"/{hop + 1}", status)
    site.routes[f"/{hops - 1}"] = redirect(f"http://127.0.0.1:{canary.port}/", status)
    with pytest.raises(BlockedAddressError):
        egress.fetch(site.url("/0"))


@pytest.mark.parametrize(
    "page",
    [
        '<meta http-equiv="refresh" content="0;url={url}">',
        "<script>location = '{url}'</script>",
        '<img src="{url}"><iframe src="{url}"></iframe><link rel="stylesheet" href="{url}">',
        '<link rel="canonical" href="{url}"><link rel="prefetch" href="{url}"><base href="{url}">',
    ],
)
def test_nothing_in_a_page_is_followed(site: Site, canary: Canary, egress: Egress, page: str) -> None:
    url = f"http://127.0.0.1:{canary.port}/"
    body = page.format(url=url).encode()
    site.routes["/"] = text(body, Content_Type="text/html", Refresh=f"0;url={url}", Link=f"<{url}>; rel=preload")
    assert fetch_html(egress, site.url()).body == body


class NameServer:
    """Returns the given answers one after the other, then the last one again."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, _: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize(
    "response",
    [
        ("127.0.0.1",),
        (PUBLIC, "127.0.0.1"),
        ("127.0.0.1", PUBLIC),
        (PUBLIC, "::1"),
        ("::ffff:127.0.0.1",),
        ("::127.0.0.1",),
        ("64:ff9b::7f00:1",),
        ("2002:7f00:1::1",),
        ("::",),
        ("0.0.0.0",),
        ("fe80::1%lo",),
        ("8.8.8.8", "10.0.0.1"),
        ("169.254.169.254",),
        ("100.64.0.1",),
    ],
)
def test_a_name_with_any_private_address_is_refused(
    canary: Canary, new_egress: Callable[..., Egress], response: Sequence[str]
) -> None:
    egress = new_egress(resolver=NameServer(response))
    with pytest.raises(BlockedAddressError) as refused:
        egress.fetch(f"http://innocent.example:{canary.port}/")
    assert not any(address in refused.value.message for address in response)


def test_a_name_is_looked_up_once_per_connection(site: Site, canary: Canary, new_egress: Callable[..., Egress]) -> None:
    site.routes["/"] = text()
    names = NameServer((PUBLIC,), ("127.0.0.1",))
    egress = new_egress(resolver=names)
    assert egress.fetch(f"http://rebind.example:{site.port}/").body == b"hello"
    assert names.asked == ["rebind.example"]
    # The idle connection leads to the address that was checked; a new one is checked again.
    assert egress.fetch(f"http://rebind.example:{site.port}/").body == b"hello"
    assert names.asked == ["rebind.example"]
    with pytest.raises(BlockedAddressError):
        new_egress(resolver=names).fetch(f"http://rebind.example:{site.port}/")


def test_dns_rebinding_between_redirects(site: Site, canary: Canary, new_egress: Callable[..., Egress]) -> None:
    site.routes["/"] = redirect("/next")
    egress = new_egress(resolver=NameServer((PUBLIC,), ("127.0.0.1",)))
    with pytest.raises(BlockedAddressError):
        egress.fetch(f"http://rebind.example:{site.port}/")
    assert site.paths == ["/"]


def test_an_idle_connection_is_not_used_for_another_name(
    site: Site, canary: Canary, new_egress: Callable[..., Egress]
) -> None:
    site.routes["/"] = text()
    egress = new_egress(resolver=lambda host, _: {"good.example": [PUBLIC], "evil.example": ["127.0.0.1"]}[host])
    egress.fetch(f"http://good.example:{site.port}/")
    with pytest.raises(BlockedAddressError):
        egress.fetch(f"http://evil.example:{site.port}/")


def test_a_name_without_an_address(new_egress: Callable[..., Egress]) -> None:
    with pytest.raises(ConnectionFailedError):
        new_egress(resolver=NameServer(())).fetch("http://empty.example/")


def test_an_exception_is_for_its_host_and_port_alone(
    site: Site, canary: Canary, new_egress: Callable[..., Egress]
) -> None:
    egress = new_egress(f"127.0.0.1:{canary.port + 1}", "wiki.local:80", resolver=NameServer(("127.0.0.1",)))
    for url in (f"http://127.0.0.1:{canary.port}/", f"http://wiki.local:{canary.port}/", "http://localhost/"):
        with pytest.raises(BlockedAddressError):
            egress.fetch(url)


def test_the_canary_notes_when_it_is_reached(new_egress: Callable[..., Egress]) -> None:
    """The control: without it the tests above could pass although the canary does not work."""
    with canary_on() as canary:
        for host in ("127.0.0.1", "[::1]"):
            with pytest.raises(ConnectionFailedError):
                new_egress("127.0.0.0/8", "::1/128").fetch(f"http://{host}:{canary.port}/")
        assert len(canary.hits) == 2
