"""Illegal writes to the table of pictures; test_schema_refuses.py tries them."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from psycopg import Connection

from nexus.db.text_key import text_key
from tests import factories as make

URL = "https://example.org/a.png"
KEPT = {
    "state": "kept", "sha256": b"x" * 32, "size": 10, "content_type": "image/png", "width": 8, "height": 8,
    "due_at": None, "settled_at": "now",
}  # fmt: skip
GONE = {"state": "gone", "reason": "http_404", "due_at": None, "settled_at": "now"}
REFUSED = GONE | {"state": "refused", "reason": "not_an_image"}
CLAIM = {"claimed_by": uuid4(), "claimed_at": "now", "lease_until": "now"}

Illegal = Callable[[Connection], object]


def picture(db: Connection, **values: Any) -> None:
    if values.get("sha256"):
        db.execute("INSERT INTO blobs (sha256, size) VALUES (%s, 10) ON CONFLICT DO NOTHING", [b"x" * 32])
    row = {"url_key": text_key(URL), "url": URL, "media_id": make.media(db)} | values
    make.insert(db, "media_images", **row)


def refused(name: str, **values: Any) -> tuple[str, Illegal]:
    return f"ck_media_images_{name}", lambda db: picture(db, **values)


REFUSED_PICTURES: list[tuple[str, Illegal]] = [
    refused("url_key", url_key=text_key("another")),
    refused("state", state="lost", due_at=None, settled_at="now"),
    refused("reason", **GONE | {"reason": None}),
    refused("reason", **GONE | {"reason": "not_an_image"}),
    refused("reason", **REFUSED | {"reason": None}),
    refused("reason", **REFUSED | {"reason": "http_404"}),
    refused("reason", **KEPT | {"reason": "http_404"}),
    refused("reason", reason="http_404"),
    refused("due", due_at=None),
    refused("due", **GONE | {"due_at": "now"}),
    refused("due", **KEPT | {"due_at": "now"}),
    refused("due", **REFUSED | {"due_at": "now"}),
    refused("due", **REFUSED | {"reason": "no_room"}),
    refused("settled", settled_at="now"),
    refused("settled", **GONE | {"settled_at": None}),
    refused("kept", **KEPT | {"sha256": None}),
    refused("kept", **KEPT | {"width": None}),
    refused("kept", size=1),
    refused("kept", **GONE | {"sha256": b"x" * 32}),
    refused("picture", **KEPT | {"content_type": "image/svg+xml"}),
    refused("picture", **KEPT | {"size": 0}),
    refused("picture", **KEPT | {"height": 4097}),
    refused("claim", **CLAIM | {"lease_until": None}),
    refused("claim", **GONE | CLAIM),
    refused("counts", attempts=-1),
    refused("counts", position=-1),
    ("fk_media_images_sha256", lambda db: make.insert(
        db, "media_images", url_key=text_key(URL), url=URL, media_id=make.media(db), **KEPT | {"sha256": b"y" * 32})),
]  # fmt: skip


def blob_of_a_picture_deleted(db: Connection) -> None:
    picture(db, **KEPT)
    db.execute("DELETE FROM blobs")


REFUSED_PICTURES.append(("fk_media_images_sha256", blob_of_a_picture_deleted))
