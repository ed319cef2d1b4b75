"""Downloads a file from the server; after a broken connection it resumes where it stopped."""

import hashlib
import time
from collections.abc import Iterator
from typing import BinaryIO

import httpx2

from nexus.cli.api_client import FIRST_PAUSE_SECONDS, MAX_ATTEMPTS, ApiClient, ServerUnreachableError

PARTIAL = 206


def download(api: ApiClient, path: str, size: int, file: BinaryIO) -> Iterator[int]:
    """After each chunk, how many bytes there are. The file's tag is its SHA-256, with which all of it is compared."""
    digest, received, tag, failures = hashlib.sha256(), 0, "", 0
    while received < size:
        wanted = {"Range": f"bytes={received}-", "If-Range": tag} if received else {}
        try:
            with api.stream(path, wanted) as response:
                if received and response.status_code != PARTIAL:
                    raise _broken("the server sends the whole file again instead of the rest")
                tag = response.headers.get("ETag", "")
                for chunk in response.iter_raw():
                    file.write(chunk)
                    digest.update(chunk)
                    received, failures = received + len(chunk), 0
                    yield received
                if received < size:
                    raise httpx2.ReadError("it ended too early")
        except httpx2.TransportError as error:
            failures += 1
            if failures >= MAX_ATTEMPTS:
                raise _broken(str(error)) from error
            time.sleep(FIRST_PAUSE_SECONDS * 2 ** (failures - 1))
    if digest.hexdigest() != tag.strip('"'):
        raise _broken("the received file differs from the file on the server")


def _broken(reason: str) -> ServerUnreachableError:
    return ServerUnreachableError(f"The download was interrupted ({reason}). Try again.")
