"""Pages for tests of the pipeline, small enough to read."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from nexus.services.lifecycle import Claim
from tests.egress.sites import Route

FIXTURES = Path(__file__).parents[1] / "pure/pages"
SENTENCE = "The bridge was closed in March, and since then the ferry carries everybody who works on the island. "


def article_page(title: str = "The ferry", paragraphs: int = 12) -> bytes:
    body = "".join(f"<p>Day {number}. {SENTENCE}</p>" for number in range(paragraphs))
    head = f"<title>{title}</title><meta name='author' content='Ann Smith'>"
    return f"<!doctype html><html lang=en><head>{head}</head><body><article><h1>{title}</h1>{body}</article>".encode()


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def html(body: bytes, status: int = 200, **headers: str) -> Route:
    return lambda handler: handler.respond(status, body, **({"Content_Type": "text/html; charset=utf-8"} | headers))


def claim_of(url: str, *, attempts: int = 1, max_attempts: int = 2) -> Claim:
    return Claim(uuid4(), uuid4(), uuid4(), url, attempts, max_attempts, None, uuid4(), datetime.now(UTC))
