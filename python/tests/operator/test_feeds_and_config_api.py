"""Feeds and the operator's file over HTTP: refusals, stored content, concurrent changes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from nexus.podcasts.feeds_spec import MAX_FEEDS
from nexus.system.atomic_files import temporary_prefix
from tests.operator.conftest import OperatorServer
from tests.processes import TRUSTS_NOBODY

FEED = "https://example.com/feed.xml"


@pytest.fixture
def http(served: OperatorServer) -> httpx2.Client:
    return served.http


def put_config(http: httpx2.Client, content: str, **headers: str) -> httpx2.Response:
    return http.put("/api/operator-config", json={"content": content}, headers=headers)


def error(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["detail"]["error"]


def test_feeds_round_trip(served: OperatorServer) -> None:
    empty = served.http.get("/api/feeds")
    assert empty.json() == {"path": str(served.corpus), "file_relpath": "feeds.spec.yaml", "feeds": []}
    feeds = [FEED, {"url": "https://b.example/rss", "timeout": 5, "episode_order": "oldest"}, f" {FEED} ", None, ""]
    response = served.http.put("/api/feeds", json={"feeds": feeds}, headers={"If-Match": empty.headers["etag"]})
    assert response.status_code == 200, response.text
    assert response.json()["feeds"] == feeds[:2]
    again = served.http.get("/api/feeds")
    assert (again.json(), again.headers["etag"]) == (response.json(), response.headers["etag"])
    assert (served.corpus / "feeds.spec.yaml").read_text() == (
        f"feeds:\n- {FEED}\n- url: https://b.example/rss\n  timeout: 5\n  episode_order: oldest\n"
    )


@pytest.mark.parametrize(
    ("feeds", "said"),
    [
        ([FEED, {"url": FEED, "nonsense": 1}], "feeds[1]"),
        ([{"url": FEED, "timeout": 0}], "timeout"),
        ([{"timeout": 3}], "url"),
        (["ftp://example.com/x"], "http"),
        ([7], "feeds[0]"),
        ([f"https://example.com/{n}" for n in range(MAX_FEEDS + 1)], "5000"),
    ],
)
def test_feeds_that_are_refused_change_nothing(served: OperatorServer, feeds: list[Any], said: str) -> None:
    served.http.put("/api/feeds", json={"feeds": [FEED]})
    before = (served.corpus / "feeds.spec.yaml").read_bytes()
    response = served.http.put("/api/feeds", json={"feeds": feeds})
    assert error(response) == (400, "invalid_feeds_spec")
    assert said in response.json()["detail"]["message"]
    assert (served.corpus / "feeds.spec.yaml").read_bytes() == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "feeds"),
        ({"_comment": "x"}, "feeds"),
        ({"feeds": "x"}, "feeds"),
        ({"feeds": None}, "feeds"),
        ({"feeds": [], "more": 1}, "'more'"),
        ({"feeds": [], "_more": 1}, "'_more'"),
        ({"feeds": [], "_comment": [1]}, "_comment"),
        ([], "body"),
    ],
)
def test_malformed_feeds_body(served: OperatorServer, body: Any, said: str) -> None:
    served.http.put("/api/feeds", json={"feeds": [FEED]})
    response = served.http.put("/api/feeds", json=body)
    assert (response.status_code, said in response.json()["detail"]["message"]) == (422, True), response.text
    assert (served.corpus / "feeds.spec.yaml").read_text() == f"feeds:\n- {FEED}\n"


def test_comments_stay_when_the_list_is_changed(served: OperatorServer) -> None:
    path = served.corpus / "feeds.spec.yaml"
    path.write_text("_comment: mine\n_comment2: [1, 2]\nfeeds: []\n")
    assert served.http.put("/api/feeds", json={"feeds": [FEED]}).status_code == 200
    assert path.read_text() == f"_comment: 'mine'\n_comment2:\n- 1\n- 2\nfeeds:\n- {FEED}\n"
    assert served.http.put("/api/feeds", json={"_comment": "a: b", "feeds": []}).status_code == 200
    assert path.read_text() == "_comment: 'a: b'\nfeeds: []\n"
    assert served.http.get("/api/feeds").json()["feeds"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"feeds:\n  - [\n", "line "),
        (b"feeds: []\nother: 1\n", "other"),
        (b"feeds:\n- url: https://a.example\n  nonsense: 1\n", "feeds[0]"),
        (b"feeds: \xff\n", "UTF-8"),
    ],
)
def test_unreadable_feeds_on_disk_are_named_and_left_alone(served: OperatorServer, text: bytes, said: str) -> None:
    path = served.corpus / "feeds.spec.yaml"
    path.write_bytes(text)
    response = served.http.get("/api/feeds")
    assert error(response) == (409, "unreadable_feeds")
    assert said in response.json()["detail"]["message"]
    assert path.read_bytes() == text


def test_reading_never_makes_or_changes_the_configuration(served: OperatorServer) -> None:
    path = served.corpus / "viewer_operator.yaml"
    response = served.http.get("/api/operator-config").json()
    assert response["content"] == ""
    assert response["operator_config_path"] == str(path)
    assert response["corpus_path"] == str(served.corpus)
    assert {"cloud_balanced", "dev"} <= set(response["available_profiles"])
    assert response["available_profiles"] == sorted(response["available_profiles"])
    assert list(served.corpus.iterdir()) == []
    for content in ("", " \n", "# nothing\n"):
        assert put_config(served.http, content).status_code == 200
        before = path.stat().st_mtime_ns
        assert served.http.get("/api/operator-config").json()["content"] == content
        assert (path.read_text(), path.stat().st_mtime_ns) == (content, before)


@pytest.mark.parametrize("body", [{}, {"content": None}, {"contents": "a: 1"}, {"content": "", "more": 1}, None, []])
def test_a_body_without_the_key_wipes_nothing(served: OperatorServer, body: Any) -> None:
    put_config(served.http, "profile: dev\n")
    response = served.http.put("/api/operator-config", json=body)
    assert error(response) == (422, "invalid_request")
    if isinstance(body, dict):
        assert ("more" if "more" in body else "content") in response.json()["detail"]["message"]
    assert (served.corpus / "viewer_operator.yaml").read_text() == "profile: dev\n"


def test_configuration_is_stored_byte_for_byte(served: OperatorServer) -> None:
    content = "# mine\r\nworkers:   3   # few\n\n'timeout' : 9\n\nprofile: dev # ünïcode 🎧\n"
    response = put_config(served.http, content)
    assert response.status_code == 200, response.text
    assert response.json()["content"] == content
    assert (served.corpus / "viewer_operator.yaml").read_bytes() == content.encode()
    again = served.http.get("/api/operator-config")
    assert again.json() == response.json()
    assert again.headers["etag"] == response.headers["etag"]


FORBIDDEN = [
    ("rss: x", "forbidden_operator_feed_keys", ["rss"]),
    ("feeds: []\nRSS-URLS: []", "forbidden_operator_feed_keys", ["feeds", "RSS-URLS"]),
    ("feeds: []\nopenai_api_key: sk-1", "forbidden_operator_keys", ["feeds", "openai_api_key"]),
    ("API_KEY: x", "forbidden_operator_keys", ["API_KEY"]),
    (" hf-token : x", "forbidden_operator_keys", ["hf-token"]),
    ("my_db_Password_x: x", "forbidden_operator_keys", ["my_db_Password_x"]),
    ("clientSecret: x", "forbidden_operator_keys", ["clientSecret"]),
    ("scheduled_jobs:\n- name: a\n  deep: {er: {slack_token: x}}", "forbidden_operator_keys", ["slack_token"]),
    ('"api\\u200b_key": x', "forbidden_operator_keys", ["api\u200b_key"]),
    ("\uff41\uff50\uff49_key: x", "forbidden_operator_keys", ["\uff41\uff50\uff49_key"]),
]


@pytest.mark.parametrize(("content", "code", "keys"), FORBIDDEN)
def test_feeds_and_secrets_are_refused_in_and_out(
    served: OperatorServer, content: str, code: str, keys: list[str]
) -> None:
    path = served.corpus / "viewer_operator.yaml"
    path.write_text("profile: dev\n")
    refused = put_config(served.http, content)
    assert error(refused) == (400, code)
    assert refused.json()["detail"]["keys"] == keys
    assert path.read_text() == "profile: dev\n"
    path.write_text(content)
    hidden = served.http.get("/api/operator-config")
    assert error(hidden) == (409, code)
    assert hidden.json()["detail"]["keys"] == keys
    assert "sk-1" not in hidden.text
    assert path.read_text() == content


@pytest.mark.parametrize(
    "content",
    [
        "a: [",
        "- a list",
        "just words",
        "timeout: 1\ntimeout: 2",
        "a: &x [1]\nb: *x",
        "base: &b {timeout: 1}\n<<: *b",
        "nonsense_key: 1",
        "timeout: soon",
        "profile: nobody_made_this",
        "profile: ../../etc/passwd",
        "profile: [dev]",
        "{" * 100_000,
        "[" * 51 + "]" * 51,
        "# " + "x" * 262_144,
        "scheduled_jobs: [{name: a, cron: nonsense}]",
        "scheduled_jobs: [{name: a, cron: '0 3 * * *', more: 1}]",
        "scheduled_jobs: [{name: a, cron: '0 3 * * *'}, {name: a, cron: '0 4 * * *'}]",
        "scheduled_jobs: [{name: a, cron: '0 3 * * *', timezone: Mars/Base}]",
        "timeout: !!python/object/apply:os.system ['true']",
    ],
)
def test_yaml_that_cannot_be_used_is_422_and_changes_nothing(served: OperatorServer, content: str) -> None:
    path = served.corpus / "viewer_operator.yaml"
    path.write_text("profile: dev\n")
    assert put_config(served.http, content).status_code == 422
    assert path.read_text() == "profile: dev\n"


@pytest.mark.parametrize("content", [b"a: [", b"\xff\xfe", b"{" * 100_000])
def test_unreadable_configuration_on_disk_is_not_shown(served: OperatorServer, content: bytes) -> None:
    path = served.corpus / "viewer_operator.yaml"
    path.write_bytes(content)
    response = served.http.get("/api/operator-config")
    assert error(response) == (409, "unreadable_operator_config")
    assert path.read_bytes() == content
    assert put_config(served.http, "profile: dev\n").status_code == 200


def test_empty_configuration_may_be_stored(served: OperatorServer) -> None:
    assert put_config(served.http, "").status_code == 200
    assert (served.corpus / "viewer_operator.yaml").read_bytes() == b""


@pytest.mark.parametrize("path", ["/api/feeds", "/api/operator-config"])
def test_one_of_twenty_concurrent_changes_is_stored(served: OperatorServer, path: str) -> None:
    """All twenty have seen the same version; the file is always one of the whole texts."""
    etag = served.http.get(path).headers["etag"]

    def body(number: int) -> dict[str, Any]:
        if path == "/api/feeds":
            return {"feeds": [f"https://example.com/{number}/{item}" for item in range(300)]}
        return {"content": f"timeout: {number}\n" + f"# {number}\n" * 2000}

    def put(number: int) -> httpx2.Response:
        with httpx2.Client(base_url=served.http.base_url, timeout=60, verify=TRUSTS_NOBODY) as http:
            return http.put(path, json=body(number), headers={"If-Match": etag})

    with ThreadPoolExecutor(20) as pool:
        responses = list(pool.map(put, range(1, 21)))
    assert sorted(response.status_code for response in responses) == [200] + [412] * 19
    (winner,) = [number for number, response in enumerate(responses, 1) if response.status_code == 200]
    shown = served.http.get(path).json()
    assert shown.get("feeds") == body(winner).get("feeds")
    assert shown.get("content") == body(winner).get("content")
    loser = next(response for response in responses if response.status_code == 412)
    assert loser.json()["detail"]["error"] == "precondition_failed"
    assert loser.json()["detail"]["etag"] == served.http.get(path).headers["etag"]


def test_if_match_any_needs_a_file(served: OperatorServer) -> None:
    assert put_config(served.http, "profile: dev\n", **{"If-Match": "*"}).status_code == 412
    assert put_config(served.http, "profile: dev\n").status_code == 200
    assert put_config(served.http, "profile: dev\n", **{"If-Match": '"old", *'}).status_code == 200


def test_leftovers_of_a_killed_writer_are_removed(served: OperatorServer) -> None:
    leftover = served.corpus / f"{temporary_prefix('feeds.spec.yaml')}0123.tmp"
    leftover.write_text("half")
    served.http.put("/api/feeds", json={"feeds": [FEED]})
    assert not leftover.exists()
    assert [path.name for path in served.corpus.glob("feeds*")] == ["feeds.spec.yaml"]


def test_corpus_path_is_checked(served: OperatorServer, tmp_path: Path) -> None:
    for path in ("/api/feeds", "/api/operator-config"):
        assert error(served.http.get(path, params={"path": str(tmp_path)})) == (400, "invalid_corpus_path")
    (served.corpus / "second").mkdir()
    served.http.put("/api/feeds", params={"path": "second"}, json={"feeds": [FEED]})
    assert (served.corpus / "second/feeds.spec.yaml").exists()
    # One server, one operator file: which corpus is looked at does not move it.
    shown = served.http.get("/api/operator-config", params={"path": "second"}).json()
    assert shown["operator_config_path"] == str(served.corpus / "viewer_operator.yaml")
