from ipaddress import IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.errors import ConfigError
from nexus.web.public_address import AllowList, embedded_ipv4, is_public

PRIVATE_V4 = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
    168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.192 192.0.2.1
    192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250
    240.0.0.1 255.255.255.255
"""
PUBLIC_V4 = "1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 126.255.255.255 172.15.0.1 172.32.0.1"
PRIVATE_V6 = """
    :: ::1 ::2 fe80::1 fe80::1%eth0 febf::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1 2001:db8::1 3fff::1
    5f00::1 64:ff9b:1::1 64:ff9b:1:ffff::8.8.8.8 2001:2::1 2001:10::1 2001:20::1 4000::1 8000::1
    2606:4700::1%eth0 ::ffff:8.8.8.8%1
"""
PUBLIC_V6 = "2606:4700:4700::1111 2a00:1450:4001::200e 2001:4860:4860::8888 2400:cb00::1"


def wrapped(address: str) -> list[str]:
    """The IPv6 addresses that carry a packet to this IPv4 address."""
    high, low = divmod(int(ip_address(address)), 1 << 16)
    client = ~int(ip_address(address)) & 0xFFFFFFFF
    return [
        f"::{address}",
        f"::ffff:{address}",
        f"::ffff:0:{address}",
        f"64:ff9b::{address}",
        f"2002:{high:x}:{low:x}::1",
        f"2001:0:808:808:0:0:{client >> 16:x}:{client & 0xFFFF:x}",
        f"2606:4700::5efe:{address}",
        f"2606:4700::200:5efe:{address}",
    ]


@pytest.mark.parametrize("address", [*PRIVATE_V4.split(), *PRIVATE_V6.split()])
def test_private_and_reserved_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [*PUBLIC_V4.split(), *PUBLIC_V6.split()])
def test_public_addresses_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", PRIVATE_V4.split())
def test_no_wrapping_makes_a_private_address_public(address: str) -> None:
    assert [form for form in wrapped(address) if is_public(form)] == []


@pytest.mark.parametrize("address", PUBLIC_V4.split())
def test_a_wrapped_public_address_is_what_it_wraps(address: str) -> None:
    assert [form for form in wrapped(address) if not is_public(form)] == []


def test_a_teredo_server_counts_too() -> None:
    assert not is_public("2001:0:7f00:1::f7f7:f7f7")


@given(st.ip_addresses())
def test_nothing_is_public_that_python_calls_private(address: object) -> None:
    """Except addresses that carry packets to an IPv4 address: some versions of Python call all of 2002::/16 private."""
    parsed = ip_address(str(address))
    if isinstance(parsed, IPv6Address) and embedded_ipv4(parsed):
        return
    if parsed.is_private or parsed.is_loopback or parsed.is_link_local or parsed.is_multicast:
        assert not is_public(parsed)


def test_text_that_is_no_address_is_an_error_not_an_answer() -> None:
    with pytest.raises(ValueError, match="example"):
        is_public("example.org")


def test_an_allow_list_names_exact_endpoints_and_networks() -> None:
    allow = AllowList.parse(["Localhost:8080", "[::1]:81", "printer.local:*", " 10.0.0.0/8 ", "127.0.0.1", "fd00::/8"])
    assert allow.allows_endpoint("localhost", 8080)
    assert not allow.allows_endpoint("localhost", 8081)
    assert allow.allows_endpoint("::1", 81)
    assert allow.allows_endpoint("printer.local", 631)
    assert allow.allows_address(ip_address("10.9.8.7"))
    assert allow.allows_address(ip_address("127.0.0.1"))
    assert allow.allows_address(ip_address("fd00::1"))
    assert not allow.allows_address(ip_address("127.0.0.2"))


def test_an_empty_allow_list_allows_nothing() -> None:
    assert not AllowList().allows_endpoint("localhost", 80)
    assert not AllowList().allows_address(ip_address("127.0.0.1"))


@pytest.mark.parametrize("entry", ["", "localhost", "host:", ":80", "host:8x", "10.0.0.1/8", "http://a:80/", "h:٣"])
def test_an_entry_that_is_neither_is_refused_at_start_up(entry: str) -> None:
    with pytest.raises(ConfigError):
        AllowList.parse([entry])
