"""Whether pages can be rendered on this machine, with what, and if not, what is missing."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nexus.system.unprivileged import Account
from nexus.web.rendering.account import (
    OutOfReachError,
    browser_account,
    has_sandbox,
    reachable_chromium,
    reachable_node,
    reachable_script,
)
from nexus.web.rendering.process import PLAIN_ENVIRONMENT

MIN_NODE_VERSION = (20, 19)  # jsdom 29 says so
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
    """Who runs them; None: whoever runs us."""
    sandbox: bool = True


@dataclass(frozen=True)
class Capability:
    tools: Tools | None
    reason: str
    """For people: which browser it is, or why there is none."""

    @property
    def possible(self) -> bool:
        return self.tools is not None

    @property
    def sandbox(self) -> bool:
        return self.tools is not None and self.tools.sandbox


def find_renderer(settings: RenderSettings) -> Capability:
    """Starts node and Chromium once each, for their versions: a browser that lacks a library is no browser."""
    if settings.worker_render == "never":
        return Capability(None, "WORKER_RENDER is never.")
    if sys.platform != "linux":
        return Capability(None, "Rendering needs Linux: only there can a whole browser be ended for certain.")
    account = browser_account(settings.data_dir)
    try:
        node = _find_node(account)
        script = reachable_script(_find_script(settings.node_ingest or CHECKOUT), account)
        chromium = reachable_chromium(_find_chromium(settings), account)
        engine = _version(chromium, account)
    except (_Missing, OutOfReachError) as missing:
        return Capability(None, str(missing))
    return Capability(Tools(node, script, chromium, account, has_sandbox(chromium, account)), engine)


def might_render(settings: RenderSettings) -> bool:
    """From what lies on the disk, in no time; a browser that is there but does not start is found by the other."""
    if settings.worker_render == "never" or sys.platform != "linux":
        return False
    try:
        _find_script(settings.node_ingest or CHECKOUT)
        _find_chromium(settings)
    except _Missing:
        return False
    return shutil.which("node") is not None


class _Missing(Exception):  # noqa: N818 - an answer, not an error
    pass


def _find_node(account: Account | None) -> Path:
    found = shutil.which("node")
    if not found:
        raise _Missing("Node is not installed: version 20.19 or newer is needed.")
    version = _version(Path(found), None)
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < MIN_NODE_VERSION:
        raise _Missing(f"Node {version} is too old: version 20.19 or newer is needed.")
    return reachable_node(Path(found), version, account)


def _find_script(folder: Path) -> Path:
    script = folder / "ingest.mjs"
    if not script.is_file():
        raise _Missing(f"There is no {script}; name the folder node/ingest of the sources in NEXUS_NODE_INGEST.")
    if not (folder / "node_modules" / "playwright-core").is_dir():
        raise _Missing(f"The packages of {folder} are not installed: run 'make setup', or 'npm ci' in that folder.")
    return script


def _find_chromium(settings: RenderSettings) -> Path:
    if settings.chromium:
        if not settings.chromium.is_file():
            raise _Missing(f"NEXUS_CHROMIUM names {settings.chromium}, which is not there.")
        return settings.chromium
    installed = next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)
    if installed:
        return Path(installed)
    # Not its headless shell, which is another program: its ways around the proxy are not tested.
    own = sorted(settings.playwright_browsers.glob("chromium-*/chrome-linux*/chrome"), key=_build_number)
    if not own:
        raise _Missing("Chromium is not installed: on Debian, apt-get install chromium; or name one in NEXUS_CHROMIUM.")
    return own[-1]


def _build_number(path: Path) -> int:
    return int(re.findall(r"chromium-(\d+)", str(path))[0])


def _version(program: Path, account: Account | None) -> str:
    options = account.popen_options() if account else {}
    try:
        asked = subprocess.run(
            [program, "--version"], env=PLAIN_ENVIRONMENT, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=VERSION_SECONDS, check=True, **options,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise _Missing(f"{program} does not start: {error}") from None
    said: bytes = asked.stdout
    return said.decode(errors="replace").strip()[:200]
