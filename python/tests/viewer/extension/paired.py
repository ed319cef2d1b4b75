"""The built extension in a real Chromium, paired with the test's user."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from playwright.sync_api import BrowserContext, Page, Playwright, Worker

from tests.browser.chromium import NOWHERE, PATIENCE_MS, QUIET, patient
from tests.processes import TRUSTS_NOBODY

BUILT = Path(__file__).parents[4] / "apps/extension/dist/chromium"


@dataclass
class Extension:
    context: BrowserContext
    background: Worker

    @property
    def origin(self) -> str:
        return self.background.url.removesuffix("/background.js")

    def open(self, url: str) -> Page:
        page = self.context.new_page()
        page.goto(url)
        page.bring_to_front()
        return page

    def popup(self) -> Page:
        """The popup as a window, since Playwright sees no real popups; it shows the state of the tab in front."""
        with self.context.expect_page() as opened:
            self.background.evaluate("() => chrome.windows.create({ url: 'popup.html', type: 'popup' })")
        return opened.value

    def choose(self, menu: str, page: Page, **info: str) -> None:
        """Chooses an entry of the context menu."""
        self.background.evaluate(
            """async ([menu, url, info]) => {
                const [tab] = await chrome.tabs.query({ url });
                chrome.contextMenus.onClicked.dispatch({ menuItemId: menu, ...info }, tab);
            }""",
            [menu, page.url, info],
        )

    def settings(self, **changed: str) -> None:
        self.background.evaluate("(changed) => chrome.storage.local.set(changed)", changed)

    @contextmanager
    def without_retries(self) -> Iterator[Callable[[], bool]]:
        """Nothing in the outbox is sent again by itself, which begins 4 s after a failure; whether it would be."""
        self.background.evaluate(
            """() => {
                self.realSetTimeout = self.setTimeout;
                self.waiting = 0;
                self.setTimeout = () => { self.waiting += 1; return 0; };
            }"""
        )
        try:
            yield lambda: bool(self.background.evaluate("() => self.waiting"))
        finally:
            self.background.evaluate("() => { self.setTimeout = self.realSetTimeout; }")

    def pair(self, server: str, user: UUID) -> None:
        """Pairs the extension with a code, as the popup does."""
        code = request_as(server, user, "POST", "/api/pairings")["code"]
        exchanged = httpx2.post(
            f"{server}/api/pairings/exchange", json={"code": code}, timeout=60, verify=TRUSTS_NOBODY
        )
        self.settings(server=server, token=exchanged.raise_for_status().json()["token"])


@contextmanager
def extension_in(playwright: Playwright, folder: Path, *sites: str) -> Iterator[Extension]:
    """No test can click its icon, which permits it to look at a page (activeTab): this copy may look at `sites`.

    Not at the server: what is permitted is requested without an Origin, as if no extension asked.
    """
    copy = folder / "extension"
    shutil.copytree(BUILT, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"host_permissions": [f"{site}/*" for site in sites]}))
    path = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    arguments = [f"--load-extension={copy}", f"--disable-extensions-except={copy}", "--headless=new"]
    with playwright.chromium.launch_persistent_context(
        folder / "profile",
        executable_path=path,
        headless=False,
        timeout=PATIENCE_MS,
        args=[*QUIET, *arguments, f"--host-resolver-rules={NOWHERE}"],
    ) as context:
        workers = patient(context).service_workers
        yield Extension(context, workers[0] if workers else context.wait_for_event("serviceworker"))


def request_as(server: str, user: UUID, method: str, path: str, **options: Any) -> Any:
    headers = {"X-User-Id": str(user)}
    response = httpx2.request(method, server + path, headers=headers, verify=TRUSTS_NOBODY, timeout=60, **options)
    return response.raise_for_status().json()
