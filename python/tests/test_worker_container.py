"""The worker's image and compose file, as far as they can be checked without building them."""

import json
import re

import yaml

from nexus.config import Settings
from tests.test_repository import ROOT, assert_command_exists, read


def test_compose_file_adds_a_worker_to_the_other_one() -> None:
    (worker,) = yaml.safe_load(read("docker-compose.worker.yml"))["services"].values()
    base = yaml.safe_load(read("docker-compose.yml"))["services"]
    assert set(worker["depends_on"]) <= set(base)
    assert worker["environment"]["DATABASE_URL"] == base["api"]["environment"]["DATABASE_URL"]
    assert (ROOT / worker["build"]["dockerfile"]).is_file()
    assert_command_exists(worker["command"])


def test_seccomp_profile_leaves_chromium_its_sandbox() -> None:
    (worker,) = yaml.safe_load(read("docker-compose.worker.yml"))["services"].values()
    (profile,) = [option.partition("=")[2] for option in worker["security_opt"] if option.startswith("seccomp=")]
    refused = {name for rule in json.loads(read(profile))["syscalls"] for name in rule["names"]}
    assert {"mount", "ptrace", "bpf", "init_module"} <= refused
    assert not {"clone", "clone3", "unshare", "chroot"} & refused


def test_image_has_node_and_chromium_and_is_not_root() -> None:
    text = read("docker/Dockerfile.worker")
    instructions = [line.split() for line in text.splitlines() if re.match(r"[A-Z]+ ", line)]
    assert [parts[1] for parts in instructions if parts[0] == "USER"] == ["nexus"]
    copied = [parts[1:-1] for parts in instructions if parts[0] == "COPY" and not parts[1].startswith("--from")]
    sources = [source for several in copied for source in several]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    ignored = read(".dockerignore").splitlines()
    assert {f"!{source.split('/')[0]}" for source in sources} <= set(ignored)
    assert "node/ingest/node_modules" in ignored  # a checkout's packages are of another machine
    known = {Settings.variable(name) for name in Settings.model_fields}
    assert set(re.findall(r"\b(NEXUS_\w+)=", text)) <= known
    assert re.search(r"apt-get install .* chromium\b", text)
    assert "npm ci --omit=dev" in text
    (command,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    assert_command_exists(yaml.safe_load(command))
