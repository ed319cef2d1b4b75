"""Node processes that render pages: one that stays for many pages, and one for a single page."""

import itertools
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress

from nexus.errors import RenderTimeoutError
from nexus.web.egress.requested_hosts import RequestedHosts
from nexus.web.rendering.availability import Tools
from nexus.web.rendering.messages import CrashedError, RenderedPage, error_from, page_from
from nexus.web.rendering.process import NODE_HEAP_MB, Message, NodeProcess

# Separate from the page's time limit: a busy machine may take long to start a browser.
START_SECONDS = 60.0

Reply = Future[Message]


class SharedBrowser:
    def __init__(self, tools: Tools, options: Message, requested_hosts: RequestedHosts | None) -> None:
        self.alive = True
        self._requested_hosts = requested_hosts
        self._numbers = itertools.count(1)
        self._replies: dict[int, Reply] = {}
        self._lock = threading.Lock()
        self._ready: Reply = Future()
        self._process = _start(tools, "--serve", on_message=self._on_message, on_end=self._on_end)
        self._process.send(options)

    def render(self, request: Message, *, seconds: float) -> RenderedPage:
        self._wait_for(self._ready, START_SECONDS)
        number, reply = next(self._numbers), Reply()
        with self._lock:
            if not self.alive:
                raise CrashedError("The browser ended before the request was sent.")
            self._replies[number] = reply
        try:
            self._process.send({"id": number, **request})
            return page_from(self._wait_for(reply, seconds))
        except RenderTimeoutError:
            raise
        except BaseException:
            self._process.send({"cancel": number})  # the result is no longer needed
            raise
        finally:
            with self._lock:
                self._replies.pop(number, None)
                if self._requested_hosts:
                    self._requested_hosts.remove((self, number))

    def end(self) -> None:
        self._process.end()

    def _wait_for(self, reply: Reply, seconds: float) -> Message:
        try:
            message = reply.result(seconds)
        except TimeoutError:
            # Node's own time limit did not work, so the process is no longer trusted.
            self.end()
            raise RenderTimeoutError(f"The browser did not respond within {seconds:g} seconds.") from None
        if failure := message.get("failure"):
            raise error_from(failure)
        page: Message = message.get("page", message)
        return page

    def _on_message(self, message: Message) -> None:
        with self._lock:
            if "requested" in message:
                if self._requested_hosts and message["id"] in self._replies:
                    self._requested_hosts.add((self, message["id"]), message["requested"])
                return
            reply = self._replies.pop(message["id"], None) if "id" in message else self._ready
        if reply:
            reply.set_result(message)

    def _on_end(self, stderr: str) -> None:
        with self._lock:
            self.alive = False
            pending = [self._ready, *self._replies.values()]
        for reply in pending:
            with suppress(InvalidStateError):  # the reply came before the end
                reply.set_exception(CrashedError(_reason(stderr)))


class SinglePageBrowser:
    """Node, browser and profile for one page, removed after it."""

    def __init__(self, tools: Tools, request: Message, requested_hosts: RequestedHosts | None) -> None:
        self._reply: Reply = Future()
        self._requested_hosts = requested_hosts
        self._process = _start(tools, on_message=self._on_message, on_end=self._on_end)
        self._process.send(request, last=True)

    def result(self, *, seconds: float) -> RenderedPage:
        try:
            return page_from(self._reply.result(seconds))
        except TimeoutError:
            raise RenderTimeoutError(f"The browser did not respond within {seconds:g} seconds.") from None
        finally:
            self.end()
            if self._requested_hosts:
                self._requested_hosts.remove(self)

    def end(self) -> None:
        self._process.end()

    def _on_message(self, message: Message) -> None:
        if "requested" in message:
            if self._requested_hosts:
                self._requested_hosts.add(self, message["requested"])
        elif not self._reply.done():
            self._reply.set_result(message)

    def _on_end(self, stderr: str) -> None:
        if self._reply.done():
            return
        try:
            failure = json.loads(stderr.strip().splitlines()[-1])
            error = error_from(failure)
        except (ValueError, IndexError, AttributeError):
            error = CrashedError(_reason(stderr))
        self._reply.set_exception(error)


def _start(
    tools: Tools,
    *arguments: str,
    on_message: Callable[[Message], None],
    on_end: Callable[[str], None],
) -> NodeProcess:
    return NodeProcess(
        [str(tools.node), f"--max-old-space-size={NODE_HEAP_MB}", str(tools.script), *arguments],
        on_message=on_message,
        on_end=on_end,
        account=tools.account,
    )


def _reason(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    return f"The browser ended unexpectedly: {lines[-1][:300]}" if lines else "The browser ended unexpectedly."
