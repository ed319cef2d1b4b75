"""A renderer for a busy machine, and its processes by kind."""

import tempfile
from pathlib import Path
from typing import Any

import psutil

from nexus.web.rendering import RenderedPage, Renderer
from nexus.web.rendering.folders import PREFIX
from nexus.web.rendering.renderer import _request

# For a page whose time limit is not what is tested: the product's, half a minute, is too short on a busy machine.
# Shorter than the tests wait for what a page does, so that a page that hangs fails with its own message.
PAGE_SECONDS = 250.0


class PatientRenderer(Renderer):
    def render(self, url: str, *, timeout_seconds: float = PAGE_SECONDS, **options: Any) -> RenderedPage:
        return super().render(url, timeout_seconds=timeout_seconds, **options)


def render_alone(renderer: Renderer, url: str) -> RenderedPage:
    """In a process for this page alone, as after a crash of the shared browser."""
    return renderer._render_alone(_request(url, PAGE_SECONDS), PAGE_SECONDS)


def tree(renderer: Renderer) -> list[psutil.Process]:
    """Supervisor, node, Chromium and all of its processes."""
    shared = renderer._shared
    assert shared is not None
    return tree_below(shared._process.pid)


def tree_below(supervisor: int) -> list[psutil.Process]:
    top = psutil.Process(supervisor)
    return [top, *top.children(recursive=True)]


def of_kind(processes: list[psutil.Process], kind: str) -> list[psutil.Process]:
    """supervisor, node, chromium (its main process), or what Chromium calls a type: renderer, gpu-process, utility …"""
    return [process for process in processes if _kind(process) == kind]


def command_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""  # it has just ended


def _kind(process: psutil.Process) -> str:
    command = command_of(process)
    if "process_supervisor.py" in command:
        return "supervisor"
    if "ingest.mjs" in command:
        return "node"
    if "--type=" in command:
        return command.partition("--type=")[2].split()[0]
    # A forked child keeps the command line of its parent until it sets its own.
    return "chromium" if "--user-data-dir" in command and not _is_below_chromium(process) else "other"


def _is_below_chromium(process: psutil.Process) -> bool:
    try:
        parent = process.parent()
    except psutil.NoSuchProcess:
        return False
    return parent is not None and "--user-data-dir" in command_of(parent)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if _is_alive(one)]


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it ended between the two calls
        return False


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))
