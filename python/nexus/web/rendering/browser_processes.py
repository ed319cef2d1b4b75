"""The two ways to ask node for a page: a process that stays, and one for a single page."""

import itertools
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress

from nexus.errors import RenderTimeoutError
from nexus.web.egress.announced import AnnouncedHosts
from nexus.web.rendering.capability import Tools
from nexus.web.rendering.messages import CrashedError, RenderedPage, error_from, page_from
from nexus.web.rendering.process import NODE_HEAP_MB, Message, NodeProcess

# A busy machine may take long to start a browser; that is no fault of the first page's.
START_SECONDS = 60.0

Answer = Future[Message]


class WarmNode:
    def __init__(self, tools: Tools, options: Message, announced: AnnouncedHosts | None) -> None:
        self.alive = True
        self._announced = announced
        self._numbers = itertools.count(1)
        self._answers: dict[int, Answer] = {}
        self._guard = threading.Lock()
        self._ready: Answer = Future()
        self._process = _start(tools, "--serve", on_message=self._on_message, on_end=self._on_end)
        self._process.send(options)

    def ask(self, request: Message, *, seconds: float) -> RenderedPage:
        self._await(self._ready, START_SECONDS)
        number, answer = next(self._numbers), Answer()
        with self._guard:
            if not self.alive:
                raise CrashedError("The browser ended before it was asked.")
            self._answers[number] = answer
        try:
            self._process.send({"id": number, **request})
            return page_from(self._await(answer, seconds))
        except RenderTimeoutError:
            raise
        except BaseException:
            self._process.send({"cancel": number})  # nobody waits for it any more
            raise
        finally:
            with self._guard:
                self._answers.pop(number, None)
                if self._announced:
                    self._announced.remove((self, number))

    def end(self) -> None:
        self._process.end()

    def _await(self, answer: Answer, seconds: float) -> Message:
        try:
            said = answer.result(seconds)
        except TimeoutError:
            # Its own time limit has failed, so nothing it says can be relied on: the whole tree goes.
            self.end()
            raise RenderTimeoutError(f"The browser did not answer within {seconds:g} seconds.") from None
        if failure := said.get("failure"):
            raise error_from(failure)
        page: Message = said.get("page", said)
        return page

    def _on_message(self, said: Message) -> None:
        with self._guard:
            if "requested" in said:
                if self._announced and said["id"] in self._answers:
                    self._announced.add((self, said["id"]), said["requested"])
                return
            answer = self._answers.pop(said["id"], None) if "id" in said else self._ready
        if answer:
            answer.set_result(said)

    def _on_end(self, complaint: str) -> None:
        with self._guard:
            self.alive = False
            waiting = [self._ready, *self._answers.values()]
        for answer in waiting:
            with suppress(InvalidStateError):  # it was answered before the end
                answer.set_exception(CrashedError(_reason(complaint)))


class SingleNode:
    """For one page: node, browser and profile are made for it and gone with it."""

    def __init__(self, tools: Tools, request: Message, announced: AnnouncedHosts | None) -> None:
        self._answer: Answer = Future()
        self._announced = announced
        self._process = _start(tools, on_message=self._on_message, on_end=self._on_end)
        self._process.send(request, last=True)

    def result(self, *, seconds: float) -> RenderedPage:
        try:
            return page_from(self._answer.result(seconds))
        except TimeoutError:
            raise RenderTimeoutError(f"The browser did not answer within {seconds:g} seconds.") from None
        finally:
            self.end()
            if self._announced:
                self._announced.remove(self)

    def end(self) -> None:
        self._process.end()

    def _on_message(self, said: Message) -> None:
        if "requested" in said:
            if self._announced:
                self._announced.add(self, said["requested"])
        elif not self._answer.done():
            self._answer.set_result(said)

    def _on_end(self, complaint: str) -> None:
        if self._answer.done():
            return
        try:
            failure = json.loads(complaint.strip().splitlines()[-1])
            error = error_from(failure)
        except (ValueError, IndexError, AttributeError):
            error = CrashedError(_reason(complaint))
        self._answer.set_exception(error)


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


def _reason(complaint: str) -> str:
    lines = complaint.strip().splitlines()
    return f"The browser ended unexpectedly: {lines[-1][:300]}" if lines else "The browser ended unexpectedly."
