"""Blobs: bytes that are kept under their SHA-256, in a folder or in an S3 bucket. See docs/reference/store.md.

blob = store.put(content)                  # no transaction of yours is open
with database.transaction() as session:
    keep_blob(session, blob)               # in the transaction that writes the row that names it
    session.add(Naming(sha256=blob.sha256))
"""

from nexus.store.blob import Blob
from nexus.store.blobs import BlobStore, open_store
from nexus.store.rows import keep_blob, keep_blobs

__all__ = ["Blob", "BlobStore", "keep_blob", "keep_blobs", "open_store"]
