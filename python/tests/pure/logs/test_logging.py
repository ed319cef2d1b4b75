import json
import logging

import pytest

from nexus.logging import configure_logging, get_logger, redact

SECRETS = [
    "nxs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "Authorization: Bearer abc.def.ghi",
    "cannot connect to postgresql://nexus:hunter2@db/nexus",
    "null value\nDETAIL:  Failing row contains (1, my diary).\nCONTEXT: x",
]


@pytest.fixture(autouse=True)
def untouched_root_logger() -> object:
    root = logging.getLogger()
    before = root.handlers, root.level
    yield None
    root.handlers, root.level = before


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_inside_a_text_are_hidden(text: str) -> None:
    hidden = redact(text)
    assert "[hidden]" in hidden
    for secret in ("AAAAAAAA", "abc.def", "hunter2", "diary"):
        assert secret not in hidden


@pytest.mark.parametrize("log_format", ["text", "json"])
@pytest.mark.parametrize(
    "key", ["token", "password", "api_key", "authorization", "pasted_text", "database_url", "cookie"]
)
def test_private_fields_are_hidden(capsys: pytest.CaptureFixture[str], log_format: str, key: str) -> None:
    configure_logging("INFO", log_format)
    get_logger("test").info("happened", **{key: "hunter2"})
    line = capsys.readouterr().err
    assert "hunter2" not in line
    assert "[hidden]" in line


def test_json_lines_carry_level_logger_time_and_fields(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("INFO", "json")
    get_logger("nexus.test").info("saved", count=3)
    logging.getLogger("some.library").warning("it said %s", "this")
    ours, theirs = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (ours["event"], ours["level"], ours["logger"], ours["count"]) == ("saved", "info", "nexus.test", 3)
    assert ours["timestamp"].endswith("Z")
    assert (theirs["event"], theirs["level"]) == ("it said this", "warning")


def test_traceback_does_not_repeat_what_somebody_saved(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("INFO", "json")
    complaint = ValueError("violates constraint\nDETAIL:  Failing row contains (my diary)")
    get_logger("test").error("failed", exc_info=complaint)
    line = json.loads(capsys.readouterr().err)
    assert "violates constraint" in line["exception"]
    assert "diary" not in line["exception"]


def test_levels_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("WARNING", "text")
    get_logger("test").info("quiet")
    get_logger("test").warning("loud")
    said = capsys.readouterr().err
    assert "loud" in said
    assert "quiet" not in said
