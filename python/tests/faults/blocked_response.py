import threading

from tests.egress.sites import SiteHandler
from tests.processes import WAIT_SECONDS


class BlockedResponse:
    """An address whose response waits until the test releases it, and that counts its requests."""

    def __init__(self, content: bytes, content_type: str = "text/html") -> None:
        self.visits = threading.Semaphore(0)
        self.released = threading.Event()
        self._content = content
        self._content_type = content_type

    def __call__(self, handler: SiteHandler) -> None:
        self.visits.release()
        self.released.wait()
        handler.respond(200, self._content, Content_Type=self._content_type)

    def is_visited(self) -> bool:
        return self.visits.acquire(timeout=WAIT_SECONDS)
