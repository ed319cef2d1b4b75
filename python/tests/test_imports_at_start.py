"""Modules that a process does not import when it starts, because only some processes need them."""

import subprocess
import sys

import pytest

# Each costs every start of its process processor time, though only one format, paste or page needs it.
NOT_LOADED = {
    "nexus.cli.serve": ["bs4", "charset_normalizer", "markdown_it", "markdownify", "numpy", "soupsieve"],
    "nexus.cli.worker": ["bs4", "celery", "charset_normalizer", "markdown_it", "markdownify", "numpy", "soupsieve"],
    "nexus.text.process_pool_child": ["charset_normalizer", "lxml", "numpy", "pydantic", "selectolax", "sqlalchemy"],
    "nexus.text.read_page": ["charset_normalizer", "numpy"],
}


@pytest.mark.parametrize("module", NOT_LOADED)
def test_a_start_does_not_load_what_few_need(module: str) -> None:
    script = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert not set(NOT_LOADED[module]) & set(loaded)
