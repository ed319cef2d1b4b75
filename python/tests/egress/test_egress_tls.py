"""TLS is verified: the name, the authority and the dates. The certificates beside this file are for tests only."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nexus.errors import ConnectionFailedError, TlsError
from nexus.web.egress import Egress
from tests.egress.sites import PUBLIC, Site, redirect, text
from tests.loopback_server import running

CERTIFICATES = Path(__file__).parent / "certificates"
GOOD, EXPIRED = CERTIFICATES / "good.pem", CERTIFICATES / "expired.pem"


@contextmanager
def secure_site(certificate: Path = GOOD) -> Iterator[Site]:
    site = Site()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, CERTIFICATES / "key.pem")
    site.socket = context.wrap_socket(site.socket, server_side=True)
    site.routes["/"] = text()
    with running(site):
        yield site


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificate)


def test_a_trusted_site_by_address_and_by_name(new_egress: Callable[..., Egress]) -> None:
    egress = new_egress(ssl_context=trusting(GOOD), resolver=lambda *_: [PUBLIC])
    with secure_site() as site:
        assert egress.fetch(site.url()).body == b"hello"
        assert egress.fetch(f"https://secure.example:{site.port}/").body == b"hello"
        assert egress.fetch(f"https://secure.example.:{site.port}/").body == b"hello"


def test_an_untrusted_site_is_refused(new_egress: Callable[..., Egress]) -> None:
    with secure_site() as site, pytest.raises(TlsError) as failed:
        new_egress().fetch(site.url())
    assert (failed.value.code, failed.value.retryable) == ("tls_error", False)
    assert "certificate" in failed.value.message
    assert site.requests == []


def test_a_certificate_for_another_name(new_egress: Callable[..., Egress]) -> None:
    egress = new_egress(ssl_context=trusting(GOOD), resolver=lambda *_: [PUBLIC])
    with secure_site() as site, pytest.raises(TlsError, match="certificate"):
        egress.fetch(f"https://other.example:{site.port}/")


def test_an_expired_certificate(new_egress: Callable[..., Egress]) -> None:
    with secure_site(EXPIRED) as site, pytest.raises(TlsError, match="expired"):
        new_egress(ssl_context=trusting(EXPIRED)).fetch(site.url())


def test_a_redirect_to_a_site_that_is_not_trusted(site: Site, new_egress: Callable[..., Egress]) -> None:
    with secure_site() as secure:
        site.routes["/"] = redirect(secure.url())
        with pytest.raises(TlsError) as failed:
            new_egress().fetch(site.url())
        assert failed.value.final_url == secure.url("/")


def test_a_site_without_tls(site: Site, egress: Egress) -> None:
    with pytest.raises(TlsError, match="wrong version number"):
        egress.fetch(site.url().replace("http:", "https:"))


def test_a_site_that_disconnects_during_the_handshake(egress: Egress) -> None:
    with socket.create_server((PUBLIC, 0)) as listener:

        def hang_up() -> None:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(ConnectionFailedError) as failed:
            egress.fetch(f"https://{PUBLIC}:{listener.getsockname()[1]}/")
        thread.join()
    assert failed.value.retryable
