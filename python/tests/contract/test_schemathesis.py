"""Generated requests against the running server: no 5xx, no undocumented status, no schema mismatch."""

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from nexus.db.session import Database
from nexus.services.tokens import create_token
from tests.processes import TRUSTS_NOBODY

CONFIG = Path(__file__).with_name("schemathesis.toml")
# Of each operation; `make drill` raises it, and sends all boundary cases, too.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
FEWER_CASES = {} if "FUZZ_EXAMPLES" in os.environ else {"SCHEMATHESIS_HOOKS": str(CONFIG.with_name("fewer_cases.py"))}


def run(url: str, *options: str) -> None:
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"]
    command += [f"{url}/api/openapi.json", "--checks=all"]
    # /api/events never ends; tests/api/test_events_api.py asks it.
    command += [f"--max-examples={EXAMPLES}", "--seed=7", "--exclude-path=/api/events", "--request-timeout=60"]
    # Made by the first request and kept: on a busy machine that takes longer than the ten seconds Schemathesis waits.
    httpx2.get(f"{url}/api/openapi.json", timeout=60, verify=TRUSTS_NOBODY).raise_for_status()
    environment = os.environ | FEWER_CASES
    done = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(1800)
def test_dev_mode(client: httpx2.Client) -> None:
    run(str(client.base_url).rstrip("/"))


@pytest.mark.timeout(1800)
def test_token_mode(token_client: httpx2.Client, database: Database) -> None:
    with database.transaction() as session:
        token = create_token(session, uuid4(), operator=True, label="fuzz")
    # What differs is who is let in: every operation, with and without the token. What else parameters can be reaches
    # the same code in both modes.
    allowed = ["--header", f"Authorization: Bearer {token.secret}", "--phases=examples,fuzzing"]
    allowed += [f"--max-examples={max(1, EXAMPLES // 2)}"]
    run(str(token_client.base_url).rstrip("/"), *allowed)
