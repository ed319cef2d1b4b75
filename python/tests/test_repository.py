"""Docs, locks, package and containers fit the code."""

import json
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml
from fastapi.routing import iter_route_contexts
from typer.main import get_command
from typer.testing import CliRunner

from nexus.app import create_app
from nexus.cli import build_app
from nexus.db.models import Base
from nexus.db.session import Database
from nexus.schemas.errors import MEANINGS
from tests.conftest import everything_on
from tests.test_shape import lines, tracked

ROOT = Path(__file__).parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text()


def test_documents_are_short_and_name_the_two_commands() -> None:
    assert lines(ROOT / "README.md") <= 120
    assert lines(ROOT / "ARCHITECTURE.md") <= 200
    assert "make run" in read("README.md")
    assert "make test" in read("README.md")
    assert "Apache License" in read("LICENSE")
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert f"## {version}" in read("CHANGELOG.md")


def test_map_and_glossary_lead_to_files() -> None:
    """Paths in their tables, below the package unless they begin at the root."""
    rows = [row for name in ("CONTRIBUTING.md", "docs/reference/glossary.md") for row in read(name).splitlines()]
    paths = [path for row in rows if row.startswith("|") for path in re.findall(r"`([\w.-]+/[\w./-]*)`", row)]
    assert len(paths) > 50
    assert [path for path in paths if not any((ROOT / base / path).exists() for base in ("", "python/nexus"))] == []


@pytest.mark.parametrize("tests", ["python/tests", "apps/viewer/tests"])
def test_architecture_lists_every_folder_of_tests(tests: str) -> None:
    tree = read("ARCHITECTURE.md").partition("## Tree")[2].partition("```\n\n")[0]
    named = set(re.findall(r"[\w-]+", tree))
    folders = {path.relative_to(ROOT / tests).parts[0] for path in tracked() if path.is_relative_to(ROOT / tests)}
    assert {name for name in folders if "." not in name} - named == set()


def test_every_route_is_documented(database: Database) -> None:
    documented = read("docs/reference/http.md")
    app = create_app(everything_on(), database)
    routes = {
        f"{method} {re.sub(':[a-z]+}', '}', route.path or '')}"
        for route in iter_route_contexts(app.routes)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {route for route in routes if f"`{route}`" not in documented} == set()


def test_every_error_code_and_status_is_documented() -> None:
    http, command_line = read("docs/reference/http.md"), read("docs/reference/cli.md")
    codes = set(
        re.findall(r'code = "(\w+)"', "".join(path.read_text() for path in (ROOT / "python/nexus/errors").glob("*.py")))
    )
    assert {code for code in codes if f"`{code}`" not in http + command_line} == set()
    assert {status for status in MEANINGS if f"| {status} |" not in http} == set()


def test_every_command_is_documented() -> None:
    documented = read("docs/reference/cli.md")
    commands = []
    for name, command in get_command(build_app()).commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", None)
        commands += [f"nexus {name} {sub}" for sub in below] if below else [f"nexus {name}"]
    assert [command for command in commands if f"`{command}" not in documented] == []


def test_every_table_is_documented() -> None:
    documented = read("docs/reference/schema.md")
    assert [name for name in Base.metadata.tables if f"`{name}`" not in documented] == []


def test_every_dependency_is_justified() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    groups = project["dependency-groups"].values()
    wanted = [*project["project"]["dependencies"], *(package for group in groups for package in group)]
    names = {re.split(r"[\[<>=;]", requirement)[0].strip() for requirement in wanted}
    documented = read("docs/explanation/dependencies.md")
    assert {name for name in names if f"`{name}`" not in documented} == set()


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{document.relative_to(ROOT)} → {target}"
        for document in tracked()
        if document.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
        if not (document.parent / target).exists()
    ]
    assert broken == []


def test_anchors_of_links_are_headings() -> None:
    broken = [
        f"{document.relative_to(ROOT)} → {target}#{anchor}"
        for document in tracked()
        if document.suffix == ".md"
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", document.read_text())
        if anchor not in anchors(document.parent / target if target else document)
    ]
    assert broken == []


def anchors(document: Path) -> set[str]:
    """Of its headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-test.lock", "requirements-whisper.lock"])
def test_locks_are_exact_hashed_and_name_no_address(lock: str) -> None:
    text = read(lock)
    assert "://" not in text
    assert "--index" not in text
    packages = re.findall(r"^[a-z0-9][^\s=]*==\S+", text, re.MULTILINE)
    assert len(packages) > 30
    assert len(re.findall(r"^\s+--hash=sha256:", text, re.MULTILINE)) >= len(packages)


def test_node_locks_are_exact_hashed_and_name_no_address() -> None:
    locks = [path for path in tracked() if path.name == "package-lock.json"]
    assert {str(lock.parent.relative_to(ROOT)) for lock in locks} == {"node/ingest", "apps/viewer", "apps/extension"}
    for lock in locks:
        assert "://" not in lock.read_text()
        packages = {name: about for name, about in json.loads(lock.read_text())["packages"].items() if name}
        assert len(packages) > 30
        assert [name for name, about in packages.items() if "resolved" in about or "integrity" not in about] == []


@pytest.mark.parametrize("folder", ["node/ingest", "apps/viewer", "apps/extension"])
def test_node_locks_are_of_their_package(folder: str) -> None:
    package = json.loads(read(f"{folder}/package.json"))
    locked = json.loads(read(f"{folder}/package-lock.json"))["packages"][""]
    for kind in ("dependencies", "devDependencies"):
        assert locked.get(kind, {}) == package.get(kind, {})


@pytest.mark.parametrize("folder", ["node/ingest", "apps/viewer", "apps/extension"])
def test_every_node_package_is_justified(folder: str) -> None:
    documented = read("docs/explanation/dependencies.md")
    package = json.loads(read(f"{folder}/package.json"))
    wanted = package.get("dependencies", {}) | package.get("devDependencies", {})
    assert [name for name in wanted if f"`{name}`" not in documented] == []


def test_makefile_explains_itself_in_few_targets() -> None:
    targets = re.findall(r"^([a-z]+):.*?(## .+)?$", read("Makefile"), re.MULTILINE)
    assert len(targets) <= 13
    assert [name for name, text in targets if not text] == []


def test_continuous_integration_calls_make_test_and_nothing_else() -> None:
    commands = [line for line in read(".ci/run").splitlines() if line and not line.startswith("#")]
    assert commands == ["exec make test"]


def test_compose_file_has_its_services() -> None:
    services = yaml.safe_load(read("docker-compose.yml"))["services"]
    assert set(services) == {"db", "api", "migrate"}
    assert services["migrate"]["profiles"] == ["tools"]
    assert "healthcheck" in services["db"]
    for published in (port for service in services.values() for port in service.get("ports", [])):
        assert published.startswith("127.0.0.1:")
    for service in ("api", "migrate"):
        assert services[service]["depends_on"]["db"]["condition"] == "service_healthy"
        assert (ROOT / services[service]["build"]["dockerfile"]).is_file()
        assert_command_exists(services[service]["command"])


def test_api_image_is_lean_and_not_root() -> None:
    text = read("docker/Dockerfile.api")
    instructions = [line.split() for line in text.splitlines() if re.match(r"[A-Z]+ ", line)]
    users = [parts[1] for parts in instructions if parts[0] == "USER"]
    assert users == ["nexus"]
    assert "HEALTHCHECK" in text
    assert not re.search(r"apt-get|nodejs|npm|playwright", text)
    for parts in instructions:
        if parts[0] == "COPY" and not parts[1].startswith("--from="):
            assert [source for source in parts[1:-1] if not (ROOT / source).exists()] == []
    (command,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    assert_command_exists(yaml.safe_load(command))


def assert_command_exists(command: list[str]) -> None:
    assert command[0] == "nexus"
    answer = CliRunner().invoke(build_app(), [*command[1:], "--help"])
    assert answer.exit_code == 0, answer.output


def test_installed_package_works_on_its_own(tmp_path: Path, data_dir: Path) -> None:
    """The wheel alone, away from the checkout, with its dependencies but without its sources."""
    wheel_dir, environment = tmp_path / "wheel", tmp_path / "environment"
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", str(wheel_dir), "."]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = wheel_dir.glob("nexus-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "nexus/db/migrations/versions/0001_people_and_their_libraries.py" in names
    assert "nexus/podcasts/profiles/cloud_balanced.yaml" in names
    assert not [name for name in names if "tests" in name]

    venv.create(environment)
    install = [sys.executable, "-m", "pip", "--python", str(environment), "install", "--no-deps", "--no-index", "-q"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    (site_packages,) = environment.glob("lib/python*/site-packages")
    (dependencies,) = {path for path in map(Path, sys.path) if path.name == "site-packages"}
    (site_packages / "dependencies.pth").write_text(f"{dependencies}\n")  # its own .pth files are not read
    where = "import nexus; print(nexus.__file__)"
    python = str(environment / "bin/python")
    assert str(environment) in subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout
    for arguments in (["db", "upgrade"], ["db", "status"], ["worker", "--once"]):
        command = [str(environment / "bin/nexus"), *arguments, "--data-dir", str(data_dir / "own")]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
