"""Fetch, check, cache: a picture costs its site one request, however many clients request it at once."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from nexus.errors import (
    EgressError,
    FetchTimeoutError,
    MaxBytesError,
    NotAPictureError,
    PictureError,
    PictureTimeoutError,
    PictureTooLargeError,
    PictureUnavailableError,
    ProcessPoolError,
)
from nexus.services.pictures.cache import CachedPicture, PictureCache, with_etag
from nexus.services.pictures.picture import CHECK_SECONDS, Picture, check_picture, shrink_picture
from nexus.services.pictures.request import ERROR_STATUS, request_picture
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress
from nexus.web.egress.shares import SharedSlots, half_of

MAX_FETCHES = 8
MAX_CHECKS = 1
FAILURE_SECONDS = 60.0  # a page with a broken picture is opened more often than the picture is repaired
MAX_FAILURES = 1024


class PictureProxy:
    """One per process, with threads of its own, so that slow sites do not delay other requests."""

    def __init__(self, cache: PictureCache, make_egress: Callable[[], Egress]) -> None:
        self._cache = cache
        self._make_egress = make_egress
        self._making = threading.Lock()
        self._egress: Egress | None = None
        self._slots = SharedSlots(MAX_FETCHES)
        self._threads = ThreadPoolExecutor(MAX_FETCHES, thread_name_prefix="nexus-pictures")
        self._checks = ProcessPool(workers=MAX_CHECKS, deadline_seconds=CHECK_SECONDS)
        self._failures = Failures()
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def get(self, url: str, width: int | None = None, *, owner: Hashable = None) -> CachedPicture:
        """As its site sends it, or a copy of at most this width.

        An `owner` and a host each have a share of what is fetched at once.
        """
        share = half_of(MAX_FETCHES)
        shares: dict[Hashable, int] = {("owner", owner): share, ("host", urlsplit(url).netloc): share}
        if width is None:
            return await self._get_or_make(url, lambda: self._fetch_unless_known(url), shares)
        name = f"w={width} {url}"  # no URL begins like this
        found = await asyncio.to_thread(self._cache.read, name)
        if found:
            return found
        whole = await self.get(url, owner=owner)
        return await self._get_or_make(
            name, lambda: self._shrink_unless_known(name, lambda: whole.picture.data, width), shares
        )

    async def shrink(
        self, sha256: bytes, read: Callable[[], bytes], width: int, *, owner: Hashable = None
    ) -> CachedPicture:
        """A copy of a kept picture; `read` is called in a thread, where the cache does not have the copy."""
        name = f"w={width} {sha256.hex()}"
        shares: dict[Hashable, int] = {("owner", owner): half_of(MAX_FETCHES)}
        return await self._get_or_make(name, lambda: self._shrink_unless_known(name, read, width), shares)

    async def _get_or_make(
        self, name: str, make: Callable[[], CachedPicture], shares: Mapping[Hashable, int]
    ) -> CachedPicture:
        """From the cache, or made by one of the requests for it at the same time."""
        found = await asyncio.to_thread(self._cache.read, name)
        if found:
            return found
        lock = self._under_way.setdefault(name, asyncio.Lock())
        async with lock:
            return await self._make_in_slot(make, shares)

    async def _make_in_slot(self, make: Callable[[], CachedPicture], shares: Mapping[Hashable, int]) -> CachedPicture:
        return await asyncio.wrap_future(await self._slots.submit(self._threads, shares, make))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._checks.close()
        with self._making:
            if self._egress:
                self._egress.close()

    def _fetch_unless_known(self, url: str) -> CachedPicture:
        found = self._cache.read(url)  # an earlier request has just fetched it
        if found:
            return found
        return self._make(url, lambda: self._checks.run(check_picture, self._fetch(url)))

    def _shrink_unless_known(self, name: str, read: Callable[[], bytes], width: int) -> CachedPicture:
        found = self._cache.read(name)
        return found or self._make(name, lambda: self._checks.run(shrink_picture, read(), width))

    def _make(self, name: str, make: Callable[[], Picture]) -> CachedPicture:
        self._failures.raise_if_known(name)
        try:
            found = with_etag(make())
        except PictureError as error:
            self._failures.remember(name, error)
            raise
        except ProcessPoolError as error:
            refusal = NotAPictureError("The picture is too complex to be decoded.")
            self._failures.remember(name, refusal)
            raise refusal from error
        self._cache.write(name, found)
        return found

    def _fetch(self, url: str) -> bytes:
        try:
            response = request_picture(self._current_egress(), url)
        except FetchTimeoutError as error:
            raise PictureTimeoutError("The site with the picture does not respond in time.") from error
        except MaxBytesError as error:
            raise PictureTooLargeError("The picture has more than 10 MB.") from error
        except EgressError as error:
            # Without the reason: the page's author may be probing what this machine can reach.
            raise PictureUnavailableError("The site with the picture cannot be reached.") from error
        if response.status >= ERROR_STATUS:
            raise PictureUnavailableError(f"The site with the picture responded with status {response.status}.")
        return response.body

    def _current_egress(self) -> Egress:
        with self._making:
            if self._egress is None:
                self._egress = self._make_egress()
            return self._egress


class Failures:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[float, PictureError]] = OrderedDict()

    def raise_if_known(self, url: str) -> None:
        with self._lock:
            until, error = self._known.get(url, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise type(error)(error.message)

    def remember(self, url: str, error: PictureError) -> None:
        with self._lock:
            self._known[url] = (time.monotonic() + FAILURE_SECONDS, error)
            while len(self._known) > MAX_FAILURES:
                self._known.popitem(last=False)
