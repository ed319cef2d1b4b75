"""The container of jobs with PODCAST_PIPELINE_EXEC_MODE=docker, as far as it can be checked without building it."""

import re
from typing import Any

import pytest
import yaml

from nexus.config import PIPELINE_NAMES, Settings
from nexus.operator.jobs.command import SERVICES
from tests.test_repository import ROOT, assert_command_exists, read


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(read("docker-compose.pipeline.yml"))["services"]
    return found


def test_services_are_those_that_jobs_name_and_start_only_with_jobs(services: dict[str, dict[str, Any]]) -> None:
    assert set(services) == set(SERVICES.values())
    base = yaml.safe_load(read("docker-compose.yml"))["services"]
    known = {*PIPELINE_NAMES, *(Settings.variable(name) for name in Settings.model_fields)}
    for service in services.values():
        assert service["profiles"] == ["pipeline"]
        assert set(service["depends_on"]) <= set(base)
        assert service["environment"]["DATABASE_URL"] == base["api"]["environment"]["DATABASE_URL"]
        assert set(service["environment"]) <= known
        assert_command_exists(service["command"])


def test_corpus_has_the_same_path_inside(services: dict[str, dict[str, Any]]) -> None:
    variable = Settings.variable("output_dir")
    for service in services.values():
        outside, _, inside = service["volumes"][0].rpartition(":")
        assert inside == f"${{{variable}}}"
        assert outside.startswith(f"${{{variable}:?")


def test_images_have_what_their_tier_needs_and_are_not_root(services: dict[str, dict[str, Any]]) -> None:
    locks = {}
    for name, service in services.items():
        text = read(service["build"]["dockerfile"])
        (default,) = re.findall(r"^ARG LOCK=(\S+)$", text, re.MULTILINE)
        locks[name] = service["build"].get("args", {}).get("LOCK", default)
        assert re.findall(r"^USER (\w+)$", text, re.MULTILINE) == ["nexus"]
        sources = [word for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for word in line.split()]
        assert [source for source in sources if not (ROOT / source).exists()] == []
        assert {f"!{source.split('/')[0]}" for source in (*sources, locks[name])} <= set(read(".dockerignore").split())
        (command,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
        assert_command_exists(yaml.safe_load(command))
    assert "faster-whisper==" in read(locks["pipeline"])
    assert "faster-whisper==" not in read(locks["pipeline-llm"])


def test_secrets_are_named_and_not_written_down(services: dict[str, dict[str, Any]]) -> None:
    assert services["pipeline-llm"]["environment"]["OPENAI_API_KEY"] is None
    assert "OPENAI_API_KEY" not in services["pipeline"]["environment"]
