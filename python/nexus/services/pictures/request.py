"""How a picture is requested from its site."""

from urllib.parse import urlsplit

from nexus.web.egress import Egress, FetchedResponse, Limits

LIMITS = Limits(max_bytes=10_000_000, connect_seconds=5, read_seconds=10, total_seconds=20, max_redirects=5)
ACCEPT = "image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8"
ERROR_STATUS = 400


def request_picture(egress: Egress, url: str) -> FetchedResponse:
    site = urlsplit(url)
    # Many sites send their pictures to their own pages only.
    headers = {"Accept": ACCEPT, "Referer": f"{site.scheme}://{site.netloc}/"}
    return egress.fetch(url, headers=headers, limits=LIMITS)
