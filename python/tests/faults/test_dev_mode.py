"""Dev mode under another server's command: it answers this machine, and nobody else."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.processes import TRUSTS_NOBODY, Nexus

ROOT = Path(__file__).parents[3]
OTHER_MACHINE = "203.0.113.5"


@contextmanager
def uvicorn_on_every_address(nexus: Nexus, **environment: str) -> Iterator[int]:
    """As an operator would start it, but for the port, which must be known: the socket is handed over."""
    command = [sys.executable, "-m", "uvicorn", "--http", "apps.api.main:HttpProtocol", "--ws", "none"]
    with socket.create_server(("0.0.0.0", 0)) as listener:
        process = subprocess.Popen(
            [*command, "--fd", str(listener.fileno()), "apps.api.main:app"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "NEXUS_DATA_DIR": str(nexus.data_dir)} | nexus.environment | environment,
            pass_fds=[listener.fileno()],
        )
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait(300)


def own_addresses() -> list[str]:
    """Those of this machine that other machines reach it by; a peer that connects to one has that address itself."""
    found = [entry for entries in psutil.net_if_addrs().values() for entry in entries]
    addresses = [entry.address for entry in found if entry.family is socket.AF_INET]
    return [address for address in addresses if not address.startswith("127.")]


def ask(address: str, port: int, **headers: str) -> httpx2.Response:
    sent = {"Host": "localhost"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.get(f"http://{address}:{port}/api/me", headers=sent, timeout=60, verify=TRUSTS_NOBODY)


def test_other_machines_are_refused(nexus_on_copy: Nexus) -> None:
    with uvicorn_on_every_address(nexus_on_copy) as port:
        assert ask("127.0.0.1", port).status_code == 200
        refused = [ask(address, port) for address in own_addresses()]
        refused += [ask(address, port, X_Forwarded_For="127.0.0.1") for address in own_addresses()]
        refused += [
            ask("127.0.0.1", port, **{header: value})
            for header in ("X_Forwarded_For", "X_Real_IP", "Forwarded")
            for value in (OTHER_MACHINE, f"127.0.0.1, {OTHER_MACHINE}", "for=unknown")
        ]
    for response in refused:
        assert response.status_code == 403, response.text
        assert response.json()["detail"]["error"] == "dev_mode_is_local"
        assert "NEXUS_ALLOW_DEV_AUTH" in response.json()["detail"]["message"]


def test_trusting_every_proxy_opens_nothing(nexus_on_copy: Nexus) -> None:
    """uvicorn then believes another machine that claims to be this one."""
    with uvicorn_on_every_address(nexus_on_copy, FORWARDED_ALLOW_IPS="*") as port:
        for address in ("127.0.0.1", *own_addresses()):
            assert ask(address, port, X_Forwarded_For="127.0.0.1").status_code == 403


@pytest.mark.parametrize("environment", [{"NEXUS_ALLOW_DEV_AUTH": "1"}, {"NEXUS_AUTH": "token"}])
def test_other_machines_are_answered_when_asked_for(nexus_on_copy: Nexus, environment: dict[str, str]) -> None:
    expected = 401 if "NEXUS_AUTH" in environment else 200
    with uvicorn_on_every_address(nexus_on_copy, **environment) as port:
        responses = [ask(address, port) for address in own_addresses()]
        responses.append(ask("127.0.0.1", port, X_Forwarded_For=OTHER_MACHINE))
    assert [response.status_code for response in responses] == [expected] * len(responses)
