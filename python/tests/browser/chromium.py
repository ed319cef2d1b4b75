"""A real Chromium that shows fragments of HTML, touches all of them and notes every attempt to run script."""

import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.loopback_server import LoopbackServer, QuietHandler, running

How = Literal["rendered", "inserted"]

# Generous, for a loaded machine: tests wait for events, never for a time.
PATIENCE_MS = 120_000
expect.set_options(timeout=PATIENCE_MS)

FRAMES_AT_ONCE = 200
# Shown after the fragments of a batch and touched as they are: what those attempted was noted before what this does.
MARKER = "marker"
MARKER_HTML = """<img src=x onerror=confirm(1)><a href="javascript:prompt(1)">x</a><b onmouseover=alert(1)>x</b>
    <svg><set attributeName=x to=1 onbegin=print()></set></svg>"""
MARKER_CALLS = {"called alert", "called confirm", "called print", "called prompt"}
POLL_MS = 50
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
]
# All pages of a context in one process, which then compiles a script once.
ONE_PROCESS = ["--disable-site-isolation-trials", "--renderer-process-limit=1"]
# No test leaves this machine, whatever a payload names.
NOWHERE = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
HOOKS = (Path(__file__).parent / "hooks.js").read_text()
SHOW = (Path(__file__).parent / "show.js").read_text()


@dataclass
class ParsedFragments:
    """By fragment: the attempts to run script, and what Chromium's own parser made of it."""

    attempts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    elements: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


class FragmentServer(LoopbackServer):
    def __init__(self) -> None:
        self.fragments: dict[str, str] = {}
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(QuietHandler):
    server: FragmentServer

    def do_GET(self) -> None:
        kind, _, name = urlsplit(self.path).path.removeprefix("/").partition("/")
        fragment = self.server.fragments.get(name) if kind == "rendered" else ""
        if kind not in {"host", "rendered", "inserted"} or fragment is None:
            self.send_error(404)
            return
        body = f'<!doctype html><meta charset=utf-8><div id="here">{fragment}</div>'.encode("utf-8", "replace")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if kind != "host":
            self.send_header("Content-Security-Policy-Report-Only", "script-src 'none'")
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def chromium(*own_hosts: str, headless_shell: bool = False) -> Iterator[Browser]:
    with sync_playwright() as playwright, launched(playwright, *own_hosts, headless_shell=headless_shell) as browser:
        yield browser


@contextmanager
def launched(
    playwright: Playwright, *own_hosts: str, headless_shell: bool = False, one_process: bool = False
) -> Iterator[Browser]:
    """`own_hosts`: names that lead to this machine, as in a home network; not a secure context over HTTP.

    `headless_shell`: the same engine without the browser around it, at less than half the processor time.
    """
    programs = ["chromium", "chromium-browser", "google-chrome"]
    if headless_shell:
        programs.insert(0, "chromium-headless-shell")
    path = next(filter(None, map(shutil.which, programs)), None)
    assert path, "these tests need Chromium: apt-get install chromium"
    rules = ", ".join([*(f"MAP {host} 127.0.0.1" for host in own_hosts), NOWHERE])
    arguments = [*QUIET, *(ONE_PROCESS if one_process else []), f"--host-resolver-rules={rules}"]
    browser = playwright.chromium.launch(executable_path=path, args=arguments, timeout=PATIENCE_MS)
    yield browser
    browser.close()


def patient(context: BrowserContext) -> BrowserContext:
    context.set_default_timeout(PATIENCE_MS)
    return context


@contextmanager
def fragment_server() -> Iterator[FragmentServer]:
    with running(FragmentServer()) as server:
        yield server


def show(
    browser: Browser,
    server: FragmentServer,
    fragments: Mapping[str, str],
    how: How,
    *,
    is_enough: Callable[[ParsedFragments], bool] | None = None,
) -> ParsedFragments:
    """All are loaded and then touched; or, as raw payloads may keep a frame loading for ever, until it `is_enough`."""
    shown = ParsedFragments()
    context = patient(browser.new_context(service_workers="block", accept_downloads=False))
    context.expose_binding("noteAttempt", lambda _, name, what: shown.attempts[name].add(what))
    context.add_init_script(HOOKS)
    page = context.new_page()
    page.goto(f"{server.origin}/host/")
    context.on("page", lambda popup: popup.close())
    page.evaluate(SHOW)
    waiting = list(fragments.items())
    batches = [waiting[start : start + FRAMES_AT_ONCE] for start in range(0, len(waiting), FRAMES_AT_ONCE)]
    markers = {f"{MARKER}-{number}": MARKER_HTML for number in range(len(batches))}
    server.fragments = {**fragments, **markers}
    for batch, marker in zip(batches, markers, strict=True):
        _show_batch(page, batch, how, lambda loading: is_enough(shown) if is_enough else not loading)
        _show_batch(page, [(marker, MARKER_HTML)], how, partial(_has_called, shown.attempts[marker]))
        assert shown.attempts[marker] >= MARKER_CALLS, "attempts are not noted"
        for name, elements in page.evaluate("removeFrames()").items():
            if elements is not None:
                shown.elements[name].update(elements)
    context.close()
    for marker in markers:
        del shown.attempts[marker], shown.elements[marker]
    return shown


def _has_called(noted: set[str], _: list[str]) -> bool:
    return noted >= MARKER_CALLS


def _show_batch(page: Page, batch: list[tuple[str, str]], how: How, is_done: Callable[[list[str]], bool]) -> None:
    page.evaluate("(order) => appendFrames(order)", {"batch": batch, "how": how})
    give_up = time.monotonic() + PATIENCE_MS / 1000
    while not is_done(page.evaluate("touchFrames()")) and time.monotonic() < give_up:
        page.wait_for_timeout(POLL_MS)
