"""A URL parsed once, by the rules browsers use; egress works only with these parts."""

from dataclasses import dataclass
from typing import Self

import ada_url
import httpcore2

from nexus.errors import InvalidUrlError
from nexus.web.public_address import AllowList
from nexus.web.urls import check_url, host_and_port, route_of

MAX_URL = 16_384  # longer than any URL seen in practice


@dataclass(frozen=True)
class Target:
    url: str
    scheme: str
    host: str  # an IPv6 address without its brackets
    port: int
    authority: str
    path: str

    @classmethod
    def parse(cls, url: str, allow: AllowList) -> Self:
        parsed = ada_url.URL(check_url(url, max_length=MAX_URL, allow=allow))
        host, port = host_and_port(parsed)
        return cls(
            url=parsed.href,
            scheme=parsed.protocol.removesuffix(":"),
            host=host,
            port=port,
            authority=parsed.host,
            path=parsed.pathname + parsed.search,
        )

    def redirected(self, location: str, allow: AllowList) -> Self:
        try:
            # h11 decodes headers as Latin-1; servers that do not escape mean UTF-8.
            reference = location.encode("latin-1").decode("utf-8", errors="replace")
            following = ada_url.URL(reference, base=self.url)
        except ValueError:
            raise InvalidUrlError("The site redirects to something that is not a web address.") from None
        # As browsers do: the route is kept unless the redirect has its own fragment, even an empty one.
        if "#" not in reference and (route := route_of(self.url)):
            following.hash = route
        return self.parse(following.href, allow)

    @property
    def origin(self) -> httpcore2.Origin:
        return httpcore2.Origin(self.scheme.encode(), self.host.encode(), self.port)

    def core_url(self) -> httpcore2.URL:
        return httpcore2.URL(
            scheme=self.scheme.encode(), host=self.host.encode(), port=self.port, target=self.path.encode()
        )
