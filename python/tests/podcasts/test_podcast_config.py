"""Profile, environment, operator file, feed entry, flags: which wins, and what is refused."""

from pathlib import Path

import pytest

from nexus.errors import PodcastConfigError, YamlDocumentError
from nexus.podcasts.config import KEYS, PodcastConfig, available_profiles, for_feed, load_podcast_config
from nexus.podcasts.feed_options import OVERRIDE_KEYS
from nexus.podcasts.feeds_spec import FeedEntry

PACKAGED = ["airgapped", "cloud_balanced", "cloud_quality", "dev", "local"]
ENTRY = FeedEntry(url="https://example.org/feed")


def test_every_override_of_a_feed_is_a_key_of_the_configuration() -> None:
    assert set(OVERRIDE_KEYS) <= set(KEYS)


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_profiles_are_valid(name: str) -> None:
    assert name in available_profiles()
    assert load_podcast_config(f"profile: {name}\n") != PodcastConfig()


def test_each_layer_wins_over_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PodcastConfig().max_episodes is None
    assert load_podcast_config("profile: dev").max_episodes == 2
    monkeypatch.setenv("NEXUS_PODCAST_MAX_EPISODES", "3")
    assert load_podcast_config("profile: dev").max_episodes == 3
    config = load_podcast_config("profile: dev\nmax_episodes: 4\n")
    assert config.max_episodes == 4
    entry = FeedEntry(url=ENTRY.url, max_episodes=5)
    assert for_feed(config, entry, {}).max_episodes == 5
    assert for_feed(config, entry, {"max_episodes": 6, "timeout": None}).max_episodes == 6
    assert for_feed(config, ENTRY, {}) == config
    assert load_podcast_config("max_episodes: 4", flags={"max_episodes": 7}).max_episodes == 7


def test_flag_for_the_profile_wins_and_null_means_default() -> None:
    assert load_podcast_config("profile: dev", profile="local").transcription_provider == "whisper"
    assert load_podcast_config("profile: dev\nmax_episodes: null").max_episodes is None


def test_profiles_of_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "config" / "profiles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("timeout: 9\n")
    (folder / "dev.yaml").write_text("timeout: 8\n")
    (folder / "sample.example.yaml").write_text("timeout: 7\n")
    monkeypatch.chdir(tmp_path)
    assert available_profiles() == sorted([*PACKAGED, "mine"])
    assert load_podcast_config("profile: mine").timeout == 9
    assert load_podcast_config("profile: dev").timeout == 8


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profile: nope", "There is no profile 'nope'; there are airgapped, cloud_balanced"),
        ("profile: ../profiles/dev", "There is no profile"),
        ("profile: [dev]", "'profile' must be the name"),
        ("max_episode: 3", "op.yaml: the key 'max_episode' is not known .did you mean 'max_episodes'"),
        ("timeout: 0", "op.yaml: 'timeout' is not valid: it should be greater than or equal to 1 .0 was given"),
        ("workers: many", "op.yaml: 'workers' is not valid"),
        ("feeds: []", "feeds belong in the feeds spec"),
        ("RSS-URL: https://example.org", "feeds belong in the feeds spec"),
        ("openai_api_key: sk-abc", "'openai_api_key' looks like a secret"),
        ("hf-token: abc", "looks like a secret"),
        ("token: abc", "looks like a secret"),
        ("hf\u200b_\uff54oken: abc", "looks like a secret"),
        ("episode_since: 2024-02-01\nepisode_until: 2024-01-01", "episode_since 2024-02-01 comes after"),
    ],
)
def test_errors_name_file_and_key(text: str, said: str) -> None:
    with pytest.raises(PodcastConfigError, match=said) as caught:
        load_podcast_config(text, name="op.yaml")
    assert "sk-abc" not in caught.value.message


def test_a_feed_can_contradict_the_configuration() -> None:
    config = load_podcast_config("episode_until: 2024-01-01")
    with pytest.raises(PodcastConfigError, match=r"the entry of https://example.org/feed: episode_since"):
        for_feed(config, FeedEntry(url=ENTRY.url, episode_since="2024-02-01"), {})  # type: ignore[arg-type]


def test_error_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_PODCAST_TIMEUOT", "3")
    with pytest.raises(PodcastConfigError, match=r"the environment: the key 'timeuot' is not known .did you mean"):
        load_podcast_config()


def test_keys_of_the_server_are_accepted() -> None:
    assert load_podcast_config("scheduled_jobs: []\npipeline_install_extras: ml") == PodcastConfig()


def test_files(tmp_path: Path) -> None:
    with pytest.raises(PodcastConfigError, match="Cannot read"):
        load_podcast_config(tmp_path / "none.yaml")
    bad = tmp_path / "bad.yaml"
    bad.write_bytes(b"user_agent: \xff")
    with pytest.raises(PodcastConfigError, match="is not UTF-8"):
        load_podcast_config(bad)
    bad.write_text("- a list")
    with pytest.raises(YamlDocumentError, match=r"bad.yaml must hold 'key: value' lines"):
        load_podcast_config(bad)
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: hunter2\npassword: hunter3")
    with pytest.raises(YamlDocumentError, match="line 2") as caught:
        load_podcast_config(secret)
    assert "hunter" not in caught.value.message
