"""Under root, an account without rights runs Chromium in its sandbox, wherever the checkout is."""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from nexus.config import load_settings
from nexus.system.unprivileged import Account, can_execute, existing_accounts
from nexus.web.rendering import Renderer, RenderOptions, account, find_renderer
from nexus.web.rendering import folders as folders_module
from nexus.web.rendering.account import browser_account, has_sandbox, reachable_chromium, reachable_node
from tests.processes import WAIT_SECONDS
from tests.render.browser_processes import PatientRenderer, of_kind, tree
from tests.render.site import HangingPage, Site, article


@pytest.fixture
def copies(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(account, "SHARED_COPIES", open_folder / "programs")
    return open_folder / "programs"


@pytest.fixture
def closed(open_folder: Path) -> Path:
    """Like root's home: no other account may enter."""
    folder = open_folder / "home-of-root"
    folder.mkdir(mode=0o700)
    return folder


def browser_user() -> Account:
    found = browser_account(load_settings().data_dir)
    assert found
    return found


def test_everything_below_the_supervisor_runs_as_an_account_without_rights(
    renderer: Renderer, fixture_site: Site
) -> None:
    renderer.render(fixture_site.page("/whose", article()))
    supervisor, *others = tree(renderer)
    assert supervisor.uids().real == 0, "it must be able to end whatever happens below"
    node, chromium = of_kind(others, "node"), of_kind(others, "chromium")
    assert len(node) == len(chromium) == 1
    owners = set()
    for process in others:
        with suppress(psutil.NoSuchProcess):  # the page's process has just ended
            owners |= {(process.uids(), process.gids())}
    assert owners == {((browser_user().uid,) * 3, (browser_user().gid,) * 3)}
    assert Path(f"/proc/{node[0].pid}/status").read_text().split("Groups:")[1].split("\n")[0].strip() == ""
    assert browser_user().uid not in (0, existing_accounts()[0].uid)


def test_the_browser_does_not_run_as_the_owner_of_the_database(tmp_path: Path) -> None:
    usual = existing_accounts()
    new = browser_account(tmp_path)
    assert new
    assert new.uid not in (0, usual[0].uid), "the account that PostgreSQL will get"
    cluster = tmp_path / "postgres"
    cluster.mkdir()
    os.chown(cluster, new.uid, new.gid)
    other = browser_account(tmp_path)
    assert other
    assert other.uid not in (0, new.uid), "the account that PostgreSQL has"


def test_the_sandbox_separates_pages_from_this_machine(renderer: Renderer, fixture_site: Site) -> None:
    namespaces = subprocess.run(["unshare", "--user", "true"], check=False, **browser_user().popen_options())
    assert renderer._tools.sandbox == (namespaces.returncode == 0)
    open_page = HangingPage(fixture_site, "/sandboxed")
    with ThreadPoolExecutor(1) as threads:
        under_way = threads.submit(renderer.render, open_page.url)
        assert open_page.reached.wait(WAIT_SECONDS)
        pages = of_kind(tree(renderer), "renderer")
        owners = {Path(f"/proc/{process.pid}/ns/user").readlink() for process in pages}
        filters = {Path(f"/proc/{process.pid}/status").read_text().split("Seccomp:")[1].split()[0] for process in pages}
        open_page.resume.set()
        under_way.result(WAIT_SECONDS)
    assert pages
    assert (Path("/proc/self/ns/user").readlink() not in owners) == renderer._tools.sandbox
    assert (filters == {"2"}) == renderer._tools.sandbox


def test_a_checkout_in_a_closed_home_is_copied_and_rendered_with(
    copies: Path, closed: Path, options: RenderOptions, fixture_site: Site
) -> None:
    checkout = closed / "ingest"
    ours = find_renderer(load_settings()).tools
    assert ours
    shutil.copytree(ours.script.parent, checkout, symlinks=True)
    for file in checkout.glob("*.mjs"):
        file.chmod(0o600)  # as with a strict umask
    found = find_renderer(load_settings(node_ingest=checkout))
    assert found.tools, found.reason
    assert found.tools.script.is_relative_to(copies)
    with PatientRenderer(found.tools, options) as running:
        page = running.render(fixture_site.page("/from-a-closed-home", article("Reached")))
    assert page.title == "Reached"
    assert closed.stat().st_mode & 0o777 == 0o700
    before = {path: path.stat().st_mtime_ns for path in copies.iterdir()}
    again = find_renderer(load_settings(node_ingest=checkout))
    assert again.tools == found.tools
    assert {path: path.stat().st_mtime_ns for path in copies.iterdir()} == before
    (checkout / "page.mjs").write_text((checkout / "page.mjs").read_text() + "\n// changed\n")
    changed = find_renderer(load_settings(node_ingest=checkout))
    assert changed.tools
    assert changed.tools.script != found.tools.script


def test_node_and_chromium_in_a_closed_home_are_copied(copies: Path, closed: Path) -> None:
    node = closed / "node"
    shutil.copy2("/bin/true", node)
    assert can_execute(browser_user(), reachable_node(node, "v20", browser_user()))
    assert reachable_node(Path("/bin/true"), "v20", browser_user()) == Path("/bin/true")
    browser = closed / "chromium-1/chrome-linux/chrome"
    browser.parent.mkdir(parents=True)
    shutil.copy2("/bin/true", browser)
    with pytest.raises(account.NotExecutableError, match="cannot be run by user id"):
        reachable_chromium(browser, browser_user())
    (browser.parent / "icudtl.dat").touch()
    copy = reachable_chromium(browser, browser_user())
    assert can_execute(browser_user(), copy)
    assert (copy.parent / "icudtl.dat").exists()


def test_a_browser_that_the_account_cannot_run_is_reported(closed: Path) -> None:
    wrapper = closed / "chromium"
    wrapper.write_text("#!/bin/sh\nexec chromium\n")
    wrapper.chmod(0o755)
    found = find_renderer(load_settings(chromium=wrapper))
    assert not found.is_available
    assert "run Nexus as an ordinary user" in found.reason


def test_a_temporary_folder_that_is_closed_is_not_used(
    closed: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    monkeypatch.setattr(folders_module, "SHARED", open_folder / "browser")
    folder, lock = folders_module.make_folder(browser_user())
    assert folder.parent == open_folder / "browser"
    assert can_execute(browser_user(), folders_module.home_in(folder))
    folders_module.remove_abandoned_folders()
    assert folder.exists()
    lock.release()
    folders_module.remove_abandoned_folders()
    assert not folder.exists()


def test_a_kernel_without_namespaces_is_detected(open_folder: Path) -> None:
    """A Chromium that refuses to start with its sandbox, as the real one does in that case."""
    refusing = open_folder / "chromium"
    refusing.write_text('#!/bin/sh\ncase "$*" in *--no-sandbox*|--version) exit 0;; esac\nexit 1\n')
    refusing.chmod(0o755)
    assert not has_sandbox(refusing, browser_user())
    assert has_sandbox(Path("/bin/true"), browser_user())
    found = find_renderer(load_settings(chromium=refusing))
    assert found.is_available
    assert not found.sandbox


def test_a_slow_start_does_not_switch_the_sandbox_off(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "PROBE_SECONDS", 1)
    slow = open_folder / "chromium"
    slow.write_text('#!/bin/sh\ncase "$*" in *--no-sandbox*) exit 0;; esac\nexec sleep 300\n')
    slow.chmod(0o755)
    assert has_sandbox(slow, browser_user())
