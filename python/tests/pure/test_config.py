from pathlib import Path
from uuid import UUID

import pytest

from nexus.config import Settings, load_settings, misspelled_variables
from nexus.errors import ConfigError

ROOT = Path(__file__).parents[3]


def test_defaults_are_those_of_the_contract() -> None:
    settings = load_settings()
    assert settings.auth == "dev"
    assert settings.dev_user_id == UUID("00000000-0000-0000-0000-000000000001")
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.worker_poll_seconds == 3
    assert settings.worker_stale_minutes == 15
    assert settings.database_url is None


def test_flags_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_PORT", "9000")
    assert load_settings().port == 9000
    assert load_settings(port=9001, host=None).port == 9001


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NEXUS_PORT", "eighty"),
        ("NEXUS_PORT", "70000"),
        ("NEXUS_AUTH", "none"),
        ("DEV_USER_ID", "me"),
        ("NEXUS_LOG_FORMAT", "xml"),
        ("NEXUS_LOG_LEVEL", "LOUD"),
        ("NEXUS_MAX_BODY_BYTES", "0"),
        ("WORKER_POLL_SECONDS", "-1"),
        ("WORKER_STALE_PROCESSING_MINUTES", "soon"),
        ("NEXUS_ENV", "testing"),
        ("NEXUS_EGRESS_PER_HOST", "0"),
        ("WORKER_HTTP_CONNECT_TIMEOUT", "0"),
        ("WORKER_HTTP_READ_TIMEOUT", "never"),
        ("WORKER_HTTP_TOTAL_TIMEOUT", "-1"),
        ("WORKER_MAX_BYTES", "2 MB"),
        ("WORKER_USER_AGENT", "a\r\nb"),
        ("DATABASE_URL", "mysql://root:hunter2@localhost/x"),
    ],
)
def test_bad_value_is_one_line_that_names_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as complaint:
        load_settings()
    assert complaint.value.message.startswith(f"{name} is not valid: ")
    assert "\n" not in complaint.value.message
    assert "hunter2" not in complaint.value.message


def test_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.setenv("NEXUS_PORT", "")
    assert load_settings().database_url is None
    assert load_settings().port == 8000


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_database_url_in_every_usual_spelling(scheme: str) -> None:
    url = load_settings(database_url=f"{scheme}://u@h/d").database_url
    assert url == "postgresql+psycopg://u@h/d"


def test_host_names_are_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_ALLOWED_HOSTS", "Nexus.Example, library.home ,")
    assert load_settings().allowed_hosts == ("nexus.example", "library.home")


def test_only_a_test_environment_may_fetch_from_its_own_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_EGRESS_ALLOW", "wiki.lan:80, 10.0.0.0/8")
    for env in ("local", "staging", "prod"):
        monkeypatch.setenv("NEXUS_ENV", env)
        assert load_settings().egress_exceptions == ("wiki.lan:80", "10.0.0.0/8")
    monkeypatch.setenv("NEXUS_ENV", "test")
    assert load_settings().egress_exceptions == ("wiki.lan:80", "10.0.0.0/8", "127.0.0.1:*", "localhost:*")


def test_misspelled_variable_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_AUHT", "token")
    assert "NEXUS_AUHT is not a setting; did you mean NEXUS_AUTH?" in misspelled_variables()


def test_secrets_do_not_show_when_settings_are_printed() -> None:
    assert "hunter2" not in repr(load_settings(database_url="postgresql://u:hunter2@h/d"))


def test_every_setting_is_documented() -> None:
    documented = (ROOT / "docs/reference/configuration.md").read_text()
    missing = [name for name in map(Settings.variable, Settings.model_fields) if f"`{name}`" not in documented]
    assert missing == []


def test_only_the_configuration_reads_the_environment() -> None:
    readers = [
        path.name
        for path in (ROOT / "python/nexus").rglob("*.py")
        if "os.environ" in path.read_text() or "getenv" in path.read_text()
    ]
    assert readers == ["config.py"]
