"""Every packaged profile and every compose file, as far as they can be checked without building anything.

``make verify-stack-profiles`` runs this with the checks of the single images.
"""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from nexus.config import COMPOSE_NAMES, PIPELINE_NAMES, Settings, load_settings
from nexus.operator.jobs.command import SERVICES
from nexus.podcasts.config import available_profiles, load_podcast_config
from nexus.web.rendering.renderer import RenderOptions
from tests.test_repository import ROOT, assert_command_exists, read

COMPOSE_FILES = sorted(path.name for path in ROOT.glob("docker-compose*.yml"))
SETTINGS = {Settings.variable(name) for name in Settings.model_fields}
KNOWN = SETTINGS | COMPOSE_NAMES | set(PIPELINE_NAMES)
FOR_THE_REST = 700_000_000  # Python, node with Readability, and a browser's mapped files
OF_THE_SHELL = {"PWD", "DOCKER_GROUP"}
OF_IMAGES = {"postgres": {"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"}}
SERVICE_CASES = [
    pytest.param(name, service, id=f"{name}:{service}")
    for name in COMPOSE_FILES
    for service in yaml.safe_load((ROOT / name).read_text())["services"]
]


def compose(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(read(name))
    return found


def instructions(dockerfile: str) -> list[list[str]]:
    text = read(dockerfile).replace("\\\n", " ")
    return [line.split() for line in text.splitlines() if re.match(r"[A-Z]+ ", line)]


def stages(dockerfile: str) -> set[str]:
    return {words[-1] for words in instructions(dockerfile) if words[0] == "FROM" and words[-2].upper() == "AS"}


@pytest.mark.parametrize("name", available_profiles())
def test_profile_is_one_that_the_pipeline_takes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    config = load_podcast_config(profile=name)
    assert config.transcription_provider in {"whisper", "openai"}
    # The image that has what the profile needs is one of those that jobs can name.
    tier = "ml" if config.transcription_provider == "whisper" else "llm"
    service = compose("docker-compose.pipeline.yml")["services"][SERVICES[tier]]
    lock = service["build"].get("args", {}).get("LOCK", "requirements.lock")
    assert ("faster-whisper==" in read(lock)) == (tier == "ml")


def test_profiles_of_the_checkout_are_those_of_the_package() -> None:
    packaged = {path.name: path.read_text() for path in (ROOT / "python/nexus/podcasts/profiles").glob("*.yaml")}
    assert packaged == {path.name: path.read_text() for path in (ROOT / "config/profiles").glob("*.yaml")}
    assert {name.removesuffix(".yaml") for name in packaged} <= set(available_profiles())


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_compose_file_names_only_what_there_is(name: str) -> None:
    document, base = compose(name), compose("docker-compose.yml")
    interpolated = set(re.findall(r"\$\{(\w+)", re.sub(r"^\s*#.*$", "", read(name), flags=re.MULTILINE)))
    assert interpolated <= KNOWN | OF_THE_SHELL
    services = {**base["services"], **document["services"]}
    volumes = {*(base.get("volumes") or {}), *(document.get("volumes") or {})}
    for service in document["services"].values():
        assert set(service.get("depends_on", {})) <= set(services)
        named = {volume.split(":")[0] for volume in service.get("volumes", []) if re.match(r"\w", volume)}
        assert named <= volumes
        for option in service.get("security_opt", []):
            if option.startswith("seccomp="):
                assert (ROOT / option.partition("=")[2]).is_file()


@pytest.mark.parametrize(("name", "service_name"), SERVICE_CASES)
def test_service_can_be_built_and_started(name: str, service_name: str) -> None:
    service = compose(name)["services"][service_name]
    variables = set(service.get("environment") or {})
    if "build" not in service:
        image = service["image"].partition(":")[0]
        assert variables <= OF_IMAGES.get(image, set())
        return
    assert variables <= KNOWN, "a variable that nothing reads"
    build = service["build"]
    assert (ROOT / build["context"]).is_dir()
    assert (ROOT / build["dockerfile"]).is_file()
    assert build.get("target", "api") in stages(build["dockerfile"]) | {"api"}
    arguments = {words[1].partition("=")[0] for words in instructions(build["dockerfile"]) if words[0] == "ARG"}
    assert set(build.get("args", {})) <= arguments
    if "command" in service:
        check_command(service["command"], build["dockerfile"])


def check_command(command: list[str], dockerfile: str) -> None:
    if command[0] != "celery":
        assert_command_exists(command)
        return
    module, _, attribute = command[command.index("-A") + 1].partition(":")
    app = getattr(importlib.import_module(module), attribute)
    assert command[command.index("-Q") + 1] == app.conf.task_default_queue
    copied = {word for words in instructions(dockerfile) if words[0] == "COPY" for word in words[1:-1]}
    assert module.rpartition(".")[0].replace(".", "/") in copied, "the image lacks what Celery is told to load"


@pytest.mark.parametrize(
    "dockerfile", sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docker").glob("Dockerfile*"))
)
def test_image_copies_only_what_the_build_is_sent(dockerfile: str) -> None:
    sent = {line.removeprefix("!") for line in read(".dockerignore").splitlines() if line.startswith("!")}
    for words in instructions(dockerfile):
        if words[0] == "COPY" and not words[1].startswith("--from="):
            for source in words[1:-1]:
                assert (ROOT / source).exists(), source
                assert source.split("/")[0] in sent, source
        if words[0] == "COPY" and words[1].startswith("--from="):
            assert words[1].partition("=")[2] in stages(dockerfile)
    assert {words[1] for words in instructions(dockerfile) if words[0] == "USER"} == {"nexus"}


def test_celery_deployment_has_broker_publisher_and_workers() -> None:
    services = compose("docker-compose.celery.yml")["services"]
    broker = services["publisher"]["environment"]["CELERY_BROKER_URL"]
    assert broker.startswith("redis://broker:")
    assert services["celery"]["environment"]["CELERY_BROKER_URL"] == broker
    assert services["publisher"]["command"] == ["nexus", "worker"]
    database = compose("docker-compose.yml")["services"]["api"]["environment"]["DATABASE_URL"]
    assert {services[name]["environment"]["DATABASE_URL"] for name in ("publisher", "celery")} == {database}
    assert "CELERY_BROKER_URL" not in Path(ROOT / "docker-compose.yml").read_text()


# What is kept, where and how much of it: the server and all workers must say the same.
OF_THE_STORE = {
    variable
    for field in Settings.model_fields
    if (variable := Settings.variable(field)).startswith(("NEXUS_STORE", "NEXUS_ORIGINAL_", "NEXUS_PICTURE"))
}
SET_HERE = {"NEXUS_STORE", "NEXUS_STORE_ADDRESSING"}


@pytest.mark.parametrize(
    ("name", "service_name"),
    [
        ("docker-compose.yml", "api"),
        ("docker-compose.worker.yml", "worker"),
        ("docker-compose.celery.yml", "publisher"),
        ("docker-compose.pipeline.yml", "pipeline"),
        ("docker-compose.pipeline.yml", "pipeline-llm"),
    ],
)
def test_server_and_workers_share_one_store(name: str, service_name: str) -> None:
    """Otherwise the server does not see what a worker stores, or it is lost with the container."""
    service = compose(name)["services"][service_name]
    folder = default_of(service["environment"]["NEXUS_STORE"]).removeprefix("file:")
    volumes = [default_of(each) if each.startswith("${PODCAST_PIPELINE_STORE") else each for each in service["volumes"]]
    assert f"store:{folder}" in volumes
    assert f"-o nexus -g nexus -m 0700 {folder}" in read(service["build"]["dockerfile"])
    given = {variable: value for variable, value in service["environment"].items() if variable in OF_THE_STORE}
    assert set(given) == OF_THE_STORE
    assert given.items() <= compose("docker-compose.yml")["services"]["api"]["environment"].items()
    passed_on = {variable: value for variable, value in given.items() if variable not in SET_HERE}
    assert passed_on == {variable: f"${{{variable}:-}}" for variable in passed_on}  # else the program's own default


def default_of(value: str) -> str:
    found = re.fullmatch(r"\$\{\w+:-(.*)\}", value)
    assert found, value
    return found.group(1)


@pytest.mark.parametrize(
    ("name", "service_name"), [("docker-compose.worker.yml", "worker"), ("docker-compose.celery.yml", "celery")]
)
def test_browsers_fit_into_the_memory_of_their_container(name: str, service_name: str) -> None:
    """Otherwise the kernel may kill any process, also the worker, before we end the page that is too large."""
    service = compose(name)["services"][service_name]
    given = service["environment"]["WORKER_RENDER_MEMORY_BYTES"]
    assert given.startswith("${WORKER_RENDER_MEMORY_BYTES:-"), "what the operator sets does not arrive"
    limit = load_settings(worker_render_memory_bytes=default_of(given)).worker_render_memory_bytes
    # `nexus worker` renders pages side by side, each Celery process one at a time.
    concurrency = [word.partition("=")[2] for word in service["command"] if word.startswith("--concurrency=")]
    browsers = int(concurrency[0]) if concurrency else RenderOptions.pages_at_once
    memory = int(service["mem_limit"].removesuffix("g")) * 1024**3
    assert browsers * limit + FOR_THE_REST <= memory


def test_server_in_a_container_can_start_containers() -> None:
    api = compose("docker-compose.jobs.yml")["services"]["api"]
    assert api["build"]["target"] == "with-docker"
    assert re.search(r"^COPY --from=docker \S+/docker ", read("docker/Dockerfile.api"), re.MULTILINE)
    assert re.search(r"^COPY --from=docker \S+/docker-compose ", read("docker/Dockerfile.api"), re.MULTILINE)
    assert "/var/run/docker.sock:/var/run/docker.sock" in api["volumes"]
    needed = set(re.findall(r"\$\{(\w+)", read("docker-compose.pipeline.yml")))
    given = {**compose("docker-compose.yml")["services"]["api"]["environment"], **api["environment"]}
    assert needed - {"PWD"} <= set(given), "what the pipeline's compose file reads"
    files = api["environment"]["PODCAST_DOCKER_COMPOSE_FILES"].replace("${PWD}/", "").split(",")
    assert all((ROOT / file).is_file() for file in files)
    assert "docker.sock" not in read("docker-compose.yml") + read("docker-compose.pipeline.yml")
