"""Cursors of lists: the last row's time and id, opaque and safe in a URL."""

import hashlib
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from nexus.errors import InvalidCursorError
from nexus.system.epoch import EPOCH

_LAYOUT = struct.Struct(">q16s")
_ID_BYTES = 16
_CHECK_BYTES = 6  # 24 + 6 bytes are 40 characters without padding


class ListPosition(NamedTuple):
    created_at: datetime
    id: UUID


def write_cursor(list_name: str, position: ListPosition) -> str:
    microseconds = (position.created_at - EPOCH) // timedelta(microseconds=1)
    packed = _LAYOUT.pack(microseconds, position.id.bytes)
    return urlsafe_b64encode(packed + _check(list_name, packed)).decode()


def read_cursor(list_name: str, cursor: str) -> ListPosition:
    """The check catches damage and the cursor of another list; a forged one only moves within the user's own list."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii"))
        packed, check = raw[: _LAYOUT.size], raw[_LAYOUT.size :]
        if check != _check(list_name, packed):
            raise refusal()
        microseconds, identity = _LAYOUT.unpack(packed)
        position = ListPosition(EPOCH + timedelta(microseconds=microseconds), UUID(bytes=identity))
    except (UnicodeEncodeError, NotBase64, struct.error, OverflowError):
        raise refusal() from None
    if write_cursor(list_name, position) != cursor:
        raise refusal()
    return position


def write_key_cursor(list_name: str, key: str, identity: UUID) -> str:
    """A cursor for a list in another order than that of time."""
    packed = identity.bytes + key.encode()
    return urlsafe_b64encode(packed + _check(list_name, packed)).decode()


def read_key_cursor(list_name: str, cursor: str) -> tuple[str, UUID]:
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii"))
        packed, check = raw[:-_CHECK_BYTES], raw[-_CHECK_BYTES:]
        key, identity = packed[_ID_BYTES:].decode(), UUID(bytes=packed[:_ID_BYTES])
    except (UnicodeError, NotBase64, ValueError):
        raise refusal() from None
    if check != _check(list_name, packed) or write_key_cursor(list_name, key, identity) != cursor:
        raise refusal()
    return key, identity


def _check(list_name: str, packed: bytes) -> bytes:
    return hashlib.blake2s(packed, digest_size=_CHECK_BYTES, person=list_name.encode()).digest()


def refusal() -> InvalidCursorError:
    return InvalidCursorError("This cursor is not one this list gave out; start again without it.")
