"""Bodies that no schema describes: refused with a message, never a 500, and the file stays whole."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nexus.podcasts.feed_options import OVERRIDE_KEYS
from tests.operator.conftest import OperatorServer

FEED = "https://example.com/feed.xml"
DIGITS = "9" * 5000


def an_entry(text: str, value: str = "") -> str:
    return '{"feeds": [{"url": "' + FEED + '", ' + text.replace("%s", value) + "}]}"


RAW_FEEDS = [
    an_entry('"timeout": %s', DIGITS),
    an_entry('"timeout": 1e400'),
    an_entry('"http_backoff_factor": NaN'),
    an_entry('"http_backoff_factor": Infinity'),
    an_entry('"user_agent": "\\ud800"'),
    an_entry('"\\ud800": 1'),
    '{"feeds": ["https://example.com/\\ud800"]}',
    '{"feeds": [], "_comment": "\\ud800"}',
    '{"feeds": [], "_comment\\ud800": "x"}',
    '{"feeds": [], "\\ud800": "x"}',
    '{"feeds": [], "_comment: x\\n\\u0000": "\\u0000\\u2028"}',
    '{"feeds": %s}' % ("[" * 100_000),
    '{"feeds": ' + "[" * 900 + "]" * 900 + "}",
    '{"feeds": [%s]}' % ("{}," * 100 + "{}"),
    an_entry('"episode_since": "0001-01-01", "episode_until": "9999-12-31"'),
    an_entry('"episode_since": "10000-01-01"'),
    an_entry('"episode_since": "%s"', DIGITS),
    an_entry('"rss_cache_dir": "%s"', "a/" * 400),
    '{"feeds": ["https://%s/"]}' % ("a" * 5000),
    '{"feeds": ["https://xn--/", "https://[::1]/", "https://0x7f.1/", "http://a:99999/"]}',
    '{"feeds": ["https://\\u00ad/"]}',
    b"\xff\xfe",
    b"\xef\xbb\xbf{}",
    b"",
    "null",
    '"feeds"',
]
CONTENTS = [
    "\ud800", "a: \ud800", "\0", "a: \x01", "\x85: \u2028", "timeout: " + DIGITS, "timeout: 1e400", "timeout: .inf",
    "episode_since: 2024-13-01", "episode_since: 0001-01-01", "episode_since: 99999-01-01", "? [a]\n: b",
    "!!binary x: 1", "a: !!binary '?'", "a: !!timestamp x", "a: !!set {b}", "a: !!omap [b: c]", "a: !!int x",
    "a: !!float x", "a: !!python/name:os.system", "%YAML 9.9\n---\na: 1", "--- a\n--- b", "...\n", "a: 2024-02-30",
    "2024-02-30: x", "1: 2", "true: 1", "null: 1", "[a]: 1", "scheduled_jobs: 1", "scheduled_jobs: [1]",
    "scheduled_jobs: [{name: 1, cron: 2}]", "scheduled_jobs: [{name: a, cron: '* * * * *', timezone: '../x'}]",
    "scheduled_jobs: [{name: a, cron: '* * * * *', timezone: \"\\0\"}]", "profile: \"\\0\"", "profile: .", "profile: 1",
    "pipeline_install_extras: {a: b}", "prefer_types: [1]", "rss_cache_dir: \"\\0\"", "user_agent: \"\\ud800\"",
    "a: 0b" + "1" * 5000, "a: 0x" + "f" * 100_000, "a: 0o" + "7" * 5000, "timeout: 1" + "_0" * 3000, "<<: {a: 1}",
    "a: '" + "\\" * 10_000 + "'", "- " * 5000, "{" * 60, "&a a: *a", "a: &a [*a]", "=: 1", "a: =", "~: ~",
]  # fmt: skip


def check(response: httpx2.Response) -> None:
    assert response.status_code in {200, 400, 409, 413, 422}, response.text[:500]
    if response.status_code != 200:
        assert response.json()["detail"]["message"]


@pytest.mark.parametrize("body", RAW_FEEDS, ids=range(len(RAW_FEEDS)))
def test_hostile_feeds_bodies(served: OperatorServer, body: str | bytes) -> None:
    served.http.put("/api/feeds", json={"feeds": [FEED]})
    headers = {"content-type": "application/json"}
    response = served.http.put("/api/feeds", content=body, headers=headers)
    check(response)
    again = served.http.get("/api/feeds")
    assert again.status_code == 200, again.text
    assert again.json()["feeds"] == (response.json()["feeds"] if response.status_code == 200 else [FEED])


def test_hostile_configurations(served: OperatorServer) -> None:
    for content in CONTENTS:
        served.http.put("/api/operator-config", json={"content": "timeout: 3\n"})
        # As ASCII with escapes, which may spell what is no text.
        body = json.dumps({"content": content})
        response = served.http.put("/api/operator-config", content=body, headers={"content-type": "application/json"})
        check(response)
        again = served.http.get("/api/operator-config")
        assert again.status_code == 200, (content, again.text)
        assert again.json()["content"] == (content if response.status_code == 200 else "timeout: 3\n")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["url", "rss", "rss_url", *OVERRIDE_KEYS]) | st.text(max_size=8)
ENTRIES = JSON | st.dictionaries(KEYS, JSON | st.just(FEED), max_size=4)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    feeds=st.lists(ENTRIES, max_size=4) | JSON,
    others=st.dictionaries(st.sampled_from(["_comment", "_comment2", "more"]), JSON, max_size=1),
    if_match=st.none() | st.sampled_from(["*", '"x"', "", ",,", 'W/"x"']),
)
def test_any_json_as_feeds(served: OperatorServer, feeds: Any, others: dict[str, Any], if_match: str | None) -> None:
    body = json.dumps({"feeds": feeds, **others})
    headers = {"content-type": "application/json"} | ({"if-match": if_match} if if_match is not None else {})
    response = served.http.put("/api/feeds", content=body, headers=headers)
    assert response.status_code in {200, 400, 412, 422}, response.text[:500]
    assert served.http.get("/api/feeds").status_code == 200
