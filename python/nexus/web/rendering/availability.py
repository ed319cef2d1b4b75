"""Whether pages can be rendered here, with which programs, and if not, what is missing."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nexus.system.unprivileged import Account
from nexus.web.rendering.account import (
    NotExecutableError,
    browser_account,
    has_sandbox,
    reachable_chromium,
    reachable_node,
    reachable_script,
)
from nexus.web.rendering.process import PLAIN_ENVIRONMENT

MIN_NODE_VERSION = (20, 19)  # jsdom 29 requires it
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
VERSION_SECONDS = 20
CHECKOUT = Path(__file__).parents[4] / "node" / "ingest"


class RenderSettings(Protocol):
    @property
    def worker_render(self) -> str: ...
    @property
    def data_dir(self) -> Path: ...
    @property
    def chromium(self) -> Path | None: ...
    @property
    def playwright_browsers(self) -> Path: ...
    @property
    def node_ingest(self) -> Path | None: ...


@dataclass(frozen=True)
class Tools:
    node: Path
    script: Path
    chromium: Path
    account: Account | None = None
    """The account that runs them; None: our own."""
    sandbox: bool = True


@dataclass(frozen=True)
class RendererAvailability:
    tools: Tools | None
    reason: str
    """Shown to people: the browser's version, or why there is none."""

    @property
    def is_available(self) -> bool:
        return self.tools is not None

    @property
    def sandbox(self) -> bool:
        return self.tools is not None and self.tools.sandbox


def find_renderer(settings: RenderSettings) -> RendererAvailability:
    """Starts node and Chromium once each, for their versions: a browser that lacks a library does not start."""
    if settings.worker_render == "never":
        return RendererAvailability(None, "WORKER_RENDER is never.")
    if sys.platform != "linux":
        return RendererAvailability(
            None, "Rendering needs Linux: only there can all processes of a browser be ended reliably."
        )
    account = browser_account(settings.data_dir)
    try:
        node = _find_node(account)
        script = reachable_script(_find_script(settings.node_ingest or CHECKOUT), account)
        chromium = reachable_chromium(_find_chromium(settings), account)
        engine = _version(chromium, account)
    except (_MissingToolError, NotExecutableError) as missing:
        return RendererAvailability(None, str(missing))
    return RendererAvailability(Tools(node, script, chromium, account, has_sandbox(chromium, account)), engine)


def might_render(settings: RenderSettings) -> bool:
    """A quick guess from the files that exist, without starting them; `find_renderer` is exact."""
    if settings.worker_render == "never" or sys.platform != "linux":
        return False
    try:
        _find_script(settings.node_ingest or CHECKOUT)
        _find_chromium(settings)
    except _MissingToolError:
        return False
    return shutil.which("node") is not None


class _MissingToolError(Exception):
    pass


def _find_node(account: Account | None) -> Path:
    found = shutil.which("node")
    if not found:
        raise _MissingToolError("Node is not installed: version 20.19 or newer is needed.")
    version = _version(Path(found), None)
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < MIN_NODE_VERSION:
        raise _MissingToolError(f"Node {version} is too old: version 20.19 or newer is needed.")
    return reachable_node(Path(found), version, account)


def _find_script(folder: Path) -> Path:
    script = folder / "ingest.mjs"
    if not script.is_file():
        raise _MissingToolError(
            f"{script} does not exist; set NEXUS_NODE_INGEST to the folder node/ingest of the sources."
        )
    if not (folder / "node_modules" / "playwright-core").is_dir():
        raise _MissingToolError(
            f"The packages of {folder} are not installed: run 'make setup', or 'npm ci' in that folder."
        )
    return script


def _find_chromium(settings: RenderSettings) -> Path:
    if settings.chromium:
        if not settings.chromium.is_file():
            raise _MissingToolError(f"NEXUS_CHROMIUM is {settings.chromium}, which does not exist.")
        return settings.chromium
    installed = next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)
    if installed:
        return Path(installed)
    # Not Playwright's headless shell: whether that program bypasses the proxy is not tested.
    own = sorted(settings.playwright_browsers.glob("chromium-*/chrome-linux*/chrome"), key=_build_number)
    if not own:
        raise _MissingToolError(
            "Chromium is not installed: on Debian, apt-get install chromium; or set NEXUS_CHROMIUM to its path."
        )
    return own[-1]


def _build_number(path: Path) -> int:
    return int(re.findall(r"chromium-(\d+)", str(path))[0])


def _version(program: Path, account: Account | None) -> str:
    options = account.popen_options() if account else {}
    try:
        completed = subprocess.run(
            [program, "--version"], env=PLAIN_ENVIRONMENT, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=VERSION_SECONDS, check=True, **options,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise _MissingToolError(f"{program} does not start: {error}") from None
    output: bytes = completed.stdout
    return output.decode(errors="replace").strip()[:200]
