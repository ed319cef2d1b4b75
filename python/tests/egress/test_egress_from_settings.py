"""Egress made from the environment's settings."""

import pytest

from nexus.config import load_settings
from nexus.errors import BlockedAddressError, ConfigError
from nexus.web.egress import Limits
from nexus.web.egress.from_settings import egress_from
from tests.egress.sites import PUBLIC, Site, text
from tests.loopback_server import running


def test_the_defaults_are_those_of_the_contract() -> None:
    with egress_from(load_settings()) as egress:
        assert egress.limits == Limits(2_000_000, 5, 20, 60, 10)
        assert egress.user_agent == "NudgeBot/0.1"
        for url in ("http://127.0.0.1/", "http://localhost/"):
            with pytest.raises(BlockedAddressError):
                egress.fetch(url)


def test_settings_are_used_in_requests(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_EGRESS_ALLOW", f"{PUBLIC}:{site.port}")
    monkeypatch.setenv("WORKER_USER_AGENT", "Reader/2 (+https://example.org/bot)")
    monkeypatch.setenv("WORKER_MAX_BYTES", "5")
    site.routes["/"] = text(b"hello")
    with egress_from(load_settings()) as egress:
        assert egress.fetch(site.url()).body == b"hello"
        assert egress.limits.max_bytes == 5
    assert site.requests[0].headers["user-agent"] == "Reader/2 (+https://example.org/bot)"


def test_a_test_environment_may_call_its_own_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_ENV", "test")
    with running(Site("127.0.0.1")) as fixture, egress_from(load_settings()) as egress:
        fixture.routes["/"] = text()
        assert egress.fetch(fixture.url()).body == b"hello"
        assert egress.fetch(f"http://localhost:{fixture.port}/").body == b"hello"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])
def test_proxies_of_the_environment_are_not_used(site: Site, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("NEXUS_EGRESS_ALLOW", PUBLIC)
    site.routes["/"] = text()
    with egress_from(load_settings()) as egress:
        assert egress.fetch(site.url()).body == b"hello"


def test_a_bad_exception_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_EGRESS_ALLOW", "everything")
    with pytest.raises(ConfigError, match="everything"):
        egress_from(load_settings())
