"""feeds.spec.yaml: what is accepted, what is refused, and that an error names file, entry and key."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nexus.errors import FeedsSpecError, YamlDocumentError
from nexus.podcasts import feeds_spec
from nexus.podcasts.feed_options import OVERRIDE_KEYS
from nexus.podcasts.feeds_yaml import dump_spec_yaml
from nexus.podcasts.yaml_document import read_yaml

URL = "https://example.org/feed.xml"
# A legal value of each key that differs from the default, and values just outside its range.
LEGAL: dict[str, tuple[Any, list[Any]]] = {
    "user_agent": ("Reader/1", ["", "a\nb", 3]),
    "timeout": (7, [0, "7", True, 1.5]),
    "delay_ms": (5, [-1]),
    "max_episodes": (3, [0]),
    "http_retry_total": (20, [-1, 21]),
    "rss_retry_total": (0, [-1, 21]),
    "http_backoff_factor": (0.5, [-0.1, 10.1]),
    "rss_backoff_factor": (10, [-0.1, 10.1]),
    "episode_retry_max": (10, [-1, 11]),
    "episode_retry_delay_sec": (120, [-1, 120.5]),
    "host_request_interval_ms": (600_000, [-1, 600_001]),
    "host_max_concurrent": (64, [-1, 65]),
    "circuit_breaker_enabled": (True, ["yes", 1]),
    "circuit_breaker_failure_threshold": (100, [0, 101]),
    "circuit_breaker_window_seconds": (86_400, [0, 86_401]),
    "circuit_breaker_cooldown_seconds": (1, [0, 86_401]),
    "circuit_breaker_scope": ("host", ["world"]),
    "rss_conditional_get": (False, ["no"]),
    "rss_cache_dir": ("cache", [""]),
    "episode_order": ("oldest", ["best"]),
    "episode_offset": (2, [-1]),
    "episode_since": ("2024-02-29", ["2023-02-29", "soon", 20240101]),
    "episode_until": ("2024-12-31", ["2024-13-01"]),
    "keep_audio": ("all", ["some", 1, ""]),
}


def test_every_override_is_tested_here() -> None:
    assert set(LEGAL) == set(OVERRIDE_KEYS)
    assert len(OVERRIDE_KEYS) == 24


def test_yaml_and_json_are_equivalent() -> None:
    entry = {"url": URL, **{key: legal for key, (legal, _) in LEGAL.items()}}
    document = {"feeds": ["https://example.org/other", entry], "_comment": "ours"}
    as_json = feeds_spec.parse(json.dumps(document), name="f.json")
    as_yaml = feeds_spec.parse(as_json.dump_yaml(), name="f.yml")
    assert as_json == as_yaml == feeds_spec.parse(as_yaml.dump_json(), name="f.json")
    assert as_yaml.plain() == document["feeds"]
    assert as_yaml.dump_yaml().startswith("_comment: 'ours'\nfeeds:\n- https://example.org/other\n- url: ")


@pytest.mark.parametrize(("key", "bad"), [(key, bad) for key, (_, many) in LEGAL.items() for bad in many])
def test_value_outside_its_range(key: str, bad: Any) -> None:
    with pytest.raises(FeedsSpecError, match=rf"f.json, feeds\[1\]: '{key}' is not valid") as caught:
        feeds_spec.parse(json.dumps({"feeds": [URL, {"url": URL, key: bad}]}), name="f.json")
    assert (caught.value.extras["index"], caught.value.extras["key"]) == (1, key)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("feeds: 3", "'feeds' must be a list"),
        ("- https://example.org", "must hold 'feeds:' at its top"),
        ("feed: []", "unknown key 'feed' at the top level"),
        ("feeds: []\n_note: mine", "unknown key '_note' at the top level"),
        ("_comment: nothing yet", "the key 'feeds' is missing"),
        ("feeds: [7]", r"feeds\[0\]: an entry is an address or a mapping"),
        ("feeds: ['ftp://example.org/f']", "should start with http:// or https://"),
        ("feeds: ['example.org/f']", "a web address in full"),
        ("feeds: ['https://']", "a web address in full"),
        ("feeds: ['https://me:hunter2@example.org']", "no user name or password"),
        ("feeds: [{timeout: 3}]", r"feeds\[0\]: the key 'url' is missing"),
        ("feeds: [{url: 'https://a.org', timeuot: 3}]", "'timeuot' is not known .did you mean 'timeout'"),
        ("feeds: [{url: 'https://a.org', rss: 'https://a.org'}]", "url and rss mean the same"),
        ("feeds: []\nfeeds: []", "line 2: found duplicate key"),
        ("a: &a 1\nfeeds: *a", "line 2: aliases"),
        ("feeds: [{<<: {url: 'https://a.org'}}]", "line 1: merge keys"),
        ("feeds: [", "line 1"),
        ("feeds: " + "[" * 3000, "nested too deeply"),
    ],
)
def test_errors_name_the_location(text: str, said: str) -> None:
    with pytest.raises(FeedsSpecError, match=said) as caught:
        feeds_spec.parse(text, name="my.spec.yaml")
    assert caught.value.message.startswith("my.spec.yaml")
    assert "hunter2" not in caught.value.message


@pytest.mark.parametrize("text", ["", "feeds:", "feeds: []", "feeds: [null, '  ']", "_comment: nothing yet\nfeeds: []"])
def test_empty_lists(text: str) -> None:
    assert feeds_spec.parse(text, name="f.yaml").feeds == ()


def test_first_entry_of_a_url_wins() -> None:
    text = "feeds: [{url: 'https://A.org/x', timeout: 3}, ' https://a.org/x ', {rss_url: 'https://b.org'}]"
    spec = feeds_spec.parse(text, name="f.yaml")
    assert spec.plain() == [{"url": "https://A.org/x", "timeout": 3}, "https://b.org"]


def test_at_most_5000() -> None:
    feeds = [f"https://example.org/{number}" for number in range(feeds_spec.MAX_FEEDS + 1)]
    assert len(feeds_spec.from_entries(feeds[:-1], name="body").feeds) == feeds_spec.MAX_FEEDS
    with pytest.raises(FeedsSpecError, match="5001 feeds; at most 5000"):
        feeds_spec.from_entries(feeds, name="body")


def test_files(tmp_path: Path) -> None:
    for name, data, said in (
        ("none.yaml", None, "Cannot read"),
        ("list.txt", b"https://example.org", r"ends in \.yaml, \.yml or \.json"),
        ("latin.yaml", b"feeds: ['https://example.org/\xe9']", "is not UTF-8"),
        ("torn.json", b'{"feeds": [', "line 1"),
        ("twice.json", b'{"feeds": [], "feeds": []}', "'feeds' occurs twice"),
    ):
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(FeedsSpecError, match=said):
            feeds_spec.load(path)
    (tmp_path / "good.yaml").write_bytes(b"\xef\xbb\xbffeeds: ['https://example.org']")
    assert len(feeds_spec.load(tmp_path / "good.yaml").feeds) == 1


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
VALUES = st.one_of(
    TEXT, st.integers(-(10**30), 10**30), st.floats(0, 120, allow_nan=False), st.booleans(),
    st.dates().map(date.isoformat), st.sampled_from(["null", "~", "1e3", "- a", "a: b", "#", "'", '"', "\\", "{"]),
    TEXT.map(lambda text: f"https://example.org/{text}"),
)  # fmt: skip
ENTRIES = st.one_of(TEXT, st.dictionaries(st.sampled_from(["url", *OVERRIDE_KEYS]), VALUES, min_size=1))


@settings(max_examples=300)
@given(st.lists(ENTRIES, max_size=5), st.dictionaries(st.just("_comment"), TEXT))
def test_written_specs_read_back(feeds: list[Any], comments: dict[str, str]) -> None:
    """For any values: the writer is our own."""
    assert read_yaml(dump_spec_yaml(comments, feeds), name="f") == {**comments, "feeds": feeds}


def test_maximum_of_feeds_with_every_key_can_be_read() -> None:
    """The limit on values is not below what may be stored."""
    values = {key: legal for key, (legal, _) in LEGAL.items()}
    nodes = 4 + feeds_spec.MAX_FEEDS * (1 + 2 * (len(values) + 1))
    assert nodes <= feeds_spec.MAX_NODES


@pytest.mark.parametrize(
    "text", ["a: [" + "1," * 120_000 + "]", "- \n" * 80_000, "".join(f"k{n}: 1\n" for n in range(9000))]
)
def test_too_many_values_are_refused_early(text: str) -> None:
    with pytest.raises(YamlDocumentError, match="more than 10,000 keys and values"):
        read_yaml(text, name="f")
