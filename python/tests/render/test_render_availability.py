"""What is missing is reported in a sentence that a person can act on."""

import os
from pathlib import Path
from typing import Any

import pytest

from nexus.config import load_settings
from nexus.web.rendering import RendererAvailability, find_renderer


def program(path: Path, says: str, code: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def tmp_path(open_folder: Path) -> Path:
    return open_folder


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing in it but a good node and a good Chromium."""
    folder = tmp_path / "bin"
    program(folder / "node", "v20.19.0")
    program(folder / "chromium", "Chromium 156")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def find(**settings: Any) -> RendererAvailability:
    return find_renderer(load_settings(**settings))


def test_all_programs_are_found(path: Path) -> None:
    found = find()
    assert found.is_available
    assert found.reason == "Chromium 156"
    assert found.tools
    assert (found.tools.node, found.tools.chromium) == (path / "node", path / "chromium")


def test_never_disables_rendering(path: Path) -> None:
    assert find(worker_render="never") == RendererAvailability(None, "WORKER_RENDER is never.")


@pytest.mark.parametrize(
    ("missing", "reason"), [("node", "Node is not installed"), ("chromium", "Chromium is not installed")]
)
def test_a_missing_program_is_named(path: Path, tmp_path: Path, missing: str, reason: str) -> None:
    (path / missing).unlink()
    found = find(playwright_browsers=tmp_path / "none")
    assert not found.is_available
    assert reason in found.reason


def test_an_old_node_is_named(path: Path) -> None:
    program(path / "node", "v18.19.1")
    assert "v18.19.1 is too old" in find().reason


@pytest.mark.parametrize("broken", ["node", "chromium"])
def test_a_program_that_does_not_start_is_reported(path: Path, broken: str) -> None:
    program(path / broken, "error while loading shared libraries", code=127)
    assert f"{path / broken} does not start" in find().reason


def test_the_named_chromium_wins(path: Path, tmp_path: Path) -> None:
    chosen = program(tmp_path / "my chromium", "Chromium 999")
    assert find(chromium=chosen).reason == "Chromium 999"
    assert "which does not exist" in find(chromium=tmp_path / "gone").reason


def test_playwrights_own_is_the_last_resort(path: Path, tmp_path: Path) -> None:
    (path / "chromium").unlink()
    for build in (999, 1180):
        program(tmp_path / f"own/chromium-{build}/chrome-linux/chrome", f"Chromium build {build}")
    assert find(playwright_browsers=tmp_path / "own").reason == "Chromium build 1180"


def test_scripts_without_their_packages_are_named(path: Path, tmp_path: Path) -> None:
    assert "NEXUS_NODE_INGEST" in find(node_ingest=tmp_path).reason
    (tmp_path / "ingest.mjs").touch()
    assert "make setup" in find(node_ingest=tmp_path).reason


def test_programs_do_not_get_our_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    (path / "chromium").write_text("#!/bin/sh\n/usr/bin/env\n")
    assert "secret" in os.environ.values()
    found = find()
    assert found.is_available
    assert "secret" not in found.reason
