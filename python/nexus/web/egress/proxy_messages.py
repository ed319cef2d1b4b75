"""The heads of proxied requests and responses: parsed strictly, forwarded without hop-by-hop headers."""

import re
from dataclasses import dataclass
from typing import Self

from nexus.errors import NexusError

MAX_HEAD = 65_536
END_OF_HEAD = b"\r\n\r\n"
# Not forwarded (RFC 9110, 7.6.1); Transfer-Encoding is, since bodies pass unchanged.
HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "upgrade",
    }
)
REQUEST_LINE = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]{1,16384}) HTTP/1\.[01]")
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?")
HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]++):([^\x00\r\n]*+)")
SWITCHING_PROTOCOLS = 101
FIRST_FINAL_STATUS = 200

Headers = list[tuple[str, bytes]]


class BadMessageError(NexusError):
    """A message that the proxy does not accept; it responds with `status`."""

    status = 400

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class RequestHead:
    method: str
    target: str
    headers: Headers

    @classmethod
    def parse(cls, head: bytes) -> Self:
        first, *lines = head.removesuffix(END_OF_HEAD).split(b"\r\n")
        matched = REQUEST_LINE.fullmatch(first)
        if not matched:
            raise BadMessageError("This is not a request to a proxy.")
        return cls(matched[1].decode(), matched[2].decode(), _headers(lines))

    def get(self, name: str) -> bytes:
        return next((value for each, value in self.headers if each == name), b"")

    def wants_upgrade(self) -> bool:
        return b"upgrade" in self.get("connection").lower() and bool(self.get("upgrade"))

    def forwarded(self, authority: str, path: str) -> bytes:
        """The request as the site expects it, on a connection for this request alone."""
        upgrade = self.get("upgrade") if self.wants_upgrade() else b""
        closing: Headers = [("connection", b"Upgrade"), ("upgrade", upgrade)] if upgrade else [("connection", b"close")]
        kept = [(name, value) for name, value in _without_hop_by_hop(self.headers) if name != "host"]
        return _encode(f"{self.method} {path} HTTP/1.1".encode(), [("host", authority.encode()), *kept, *closing])


class ResponseHead:
    """Rewrites the head of a response to `Connection: close`, so that the browser does not reuse the connection."""

    def __init__(self) -> None:
        self.passed = False
        self._held = b""

    def __call__(self, data: bytes) -> bytes:
        if self.passed:
            return data
        self._held += data
        out = b""
        while not self.passed:
            head, end, rest = self._held.partition(END_OF_HEAD)
            # The greeting of an SSH or mail server is no status line.
            if not head[:5].startswith(b"HTTP/"[: len(head)]) or len(head) > MAX_HEAD:
                raise BadMessageError("The site does not speak HTTP.", 502)
            if not end:
                return out
            out += self._rewrite(head)
            self._held = rest
        return out + self._held

    def _rewrite(self, head: bytes) -> bytes:
        first, *lines = head.split(b"\r\n")
        matched = STATUS_LINE.fullmatch(first)
        if not matched:
            raise BadMessageError("The site does not speak HTTP.", 502)
        status = int(matched[1])
        self.passed = status >= FIRST_FINAL_STATUS or status == SWITCHING_PROTOCOLS
        if status < FIRST_FINAL_STATUS:
            return head + END_OF_HEAD
        # Malformed header lines pass, because browsers tolerate them; only hop-by-hop headers are removed.
        kept = [line for line in lines if line.partition(b":")[0].strip().lower().decode("latin-1") not in HOP_BY_HOP]
        return b"\r\n".join([first, *kept, b"connection: close"]) + END_OF_HEAD


def _headers(lines: list[bytes]) -> Headers:
    headers: Headers = []
    for line in lines:
        matched = HEADER.fullmatch(line)
        if not matched:
            raise BadMessageError("A header line is malformed.")
        headers.append((matched[1].decode().lower(), matched[2].strip(b" \t")))
    return headers


def _without_hop_by_hop(headers: Headers) -> Headers:
    named = {
        part.strip().lower().decode("latin-1")
        for name, value in headers
        if name == "connection"
        for part in value.split(b",")
    }
    return [(name, value) for name, value in headers if name not in HOP_BY_HOP | named]


def _encode(first: bytes, headers: Headers) -> bytes:
    return b"\r\n".join([first, *(name.encode() + b": " + value for name, value in headers)]) + END_OF_HEAD
