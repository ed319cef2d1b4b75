"""Budgets that keep the code readable. A number here changes only with a reason in the commit."""

import ast
import re
import statistics
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE_LINES, MEDIAN_FILE_LINES = 400, 120
FOLDER_FILES = 20
GROWING = {"python/nexus/db/migrations/versions"}  # a file for each change of the schema, for ever
FUNCTION_LINES, P90_FUNCTION_LINES = 60, 35
CODE = {".py", ".ts", ".vue", ".mjs"}


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]


def code() -> list[Path]:
    return [path for path in tracked() if path.suffix in CODE]


def python() -> list[Path]:
    return [path for path in code() if path.suffix == ".py"]


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


@cache  # all files are parsed for it
def functions() -> list[tuple[str, int]]:
    return [
        (f"{path.relative_to(ROOT)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for path in python()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_files_are_small() -> None:
    assert [(str(path.relative_to(ROOT)), lines(path)) for path in code() if lines(path) > FILE_LINES] == []
    assert statistics.median(lines(path) for path in code()) <= MEDIAN_FILE_LINES


def test_folders_hold_few_files() -> None:
    counts = Counter(str(path.parent.relative_to(ROOT)) for path in code())
    assert {name: count for name, count in counts.items() if count > FOLDER_FILES and name not in GROWING} == {}


def test_functions_are_short() -> None:
    assert [(name, length) for name, length in functions() if length > FUNCTION_LINES] == []
    assert statistics.quantiles([length for _, length in functions()], n=10)[-1] <= P90_FUNCTION_LINES


def test_no_folder_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "common", "misc"}
    assert [str(path) for path in code() if drawers & set(path.relative_to(ROOT).parts)] == []


COMMIT = {
    "db/session.py",
    "search/index.py",  # the files of the search index, which has no transactions of ours
}


def test_only_the_session_commits() -> None:
    """Services flush, the boundary commits."""
    committers = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "python/nexus").rglob("*.py")
        if ".commit(" in path.read_text() and path.relative_to(ROOT / "python/nexus").as_posix() not in COMMIT
    ]
    assert committers == []


# Who a process really is, on Linux and macOS alike; and its children where there is no /proc.
NOT_OF_THE_STANDARD_LIBRARY = {("processes.py", "psutil"), ("descendants.py", "psutil")}


def test_system_needs_no_installed_packages() -> None:
    """The browser's supervisor runs without them."""
    found = {
        (path.name, module)
        for path in (ROOT / "python/nexus/system").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for module in _imported_modules(node)
        if module.partition(".")[0] not in sys.stdlib_module_names and not module.startswith("nexus.system.")
    }
    assert found == NOT_OF_THE_STANDARD_LIBRARY


def _imported_modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [each.name for each in node.names] if isinstance(node, ast.Import) else []


def test_every_test_folder_file_is_collected() -> None:
    strays = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "python/tests").rglob("*.py")
        if "def test_" in path.read_text() and not path.name.startswith("test_")
    ]
    assert strays == []


def test_pages_are_waited_for_with_functions() -> None:
    """An expression is evaluated by the page itself, which our policy forbids, unless it holds at the first look."""
    expression = re.compile(r'wait_for_function\(\s*f?"(?!(async )?\()')
    found = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "python/tests").rglob("*.py")
        if path.name != "test_shape.py" and expression.search(path.read_text())
    ]
    assert found == []


VERBS = {"get", "post", "put", "patch", "delete", "request", "Client"}


def test_requests_of_tests_wait_on_a_busy_machine() -> None:
    """The client's own limit is five seconds, which a loaded machine may take for an answer."""
    impatient = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "python/tests").rglob("*.py")
        if "httpx2." in (source := path.read_text())
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VERBS
        and ast.unparse(node.func.value) == "httpx2"
        and not {None, "timeout"} & {keyword.arg for keyword in node.keywords}
    ]  # fmt: skip
    assert impatient == []
