"""What a feed entry or an operator file must not be stored with, because a run could not use it."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest

from nexus.errors import FeedsSpecError
from nexus.podcasts import feeds_spec
from nexus.podcasts.feeds_spec import MAX_FEEDS
from tests.operator.conftest import OperatorServer

FEED = "https://example.com/feed.xml"


def put_feeds(served: OperatorServer, *feeds: Any) -> httpx2.Response:
    return served.http.put("/api/feeds", json={"feeds": list(feeds)})


def put_config(served: OperatorServer, content: str) -> httpx2.Response:
    return served.http.put("/api/operator-config", json={"content": content})


def refusal(response: httpx2.Response) -> tuple[int, Any, Any]:
    detail = response.json()["detail"]
    return response.status_code, detail.get("index"), detail.get("key")


@pytest.mark.parametrize(
    ("operator", "entry", "key"),
    [
        ("", {"episode_since": "2024-02-01", "episode_until": "2024-01-01"}, "episode_until"),
        ("episode_since: 2024-02-01", {"episode_until": "2024-01-01"}, "episode_until"),
        ("episode_until: 2024-01-01", {"episode_since": "2024-02-01"}, "episode_since"),
    ],
)
def test_dates_that_contradict_each_other(
    served: OperatorServer, operator: str, entry: dict[str, Any], key: str
) -> None:
    assert put_config(served, operator).status_code == 200
    assert put_feeds(served, FEED).status_code == 200
    before = (served.corpus / "feeds.spec.yaml").read_bytes()
    response = put_feeds(served, FEED, None, {"url": "https://b.example/rss", **entry})
    assert refusal(response) == (400, 2, key)
    assert "episode_since 2024-02-01 comes after episode_until 2024-01-01" in response.json()["detail"]["message"]
    assert (served.corpus / "feeds.spec.yaml").read_bytes() == before


def test_an_operator_file_that_contradicts_a_feed(served: OperatorServer) -> None:
    assert put_feeds(served, {"url": FEED, "episode_until": "2024-01-01"}).status_code == 200
    response = put_config(served, "episode_since: 2024-02-01\n")
    assert refusal(response) == (422, None, "episode_until")
    assert FEED in response.json()["detail"]["message"]
    assert not (served.corpus / "viewer_operator.yaml").exists()
    (served.corpus / "feeds.spec.yaml").write_text("feeds: [")
    assert put_config(served, "episode_since: 2024-02-01\n").status_code == 200


def test_feeds_stored_before_the_rules_can_be_read_and_corrected(served: OperatorServer) -> None:
    entry = {"url": FEED, "episode_since": "2024-02-01", "episode_until": "2024-01-01"}
    (served.corpus / "feeds.spec.yaml").write_text(
        f"feeds:\n- url: {FEED}\n  episode_since: 2024-02-01\n  episode_until: 2024-01-01\n- https://a.example/a b\n"
    )
    assert served.http.get("/api/feeds").json()["feeds"] == [entry, "https://a.example/a b"]
    assert put_feeds(served, FEED, "https://a.example/a%20b").status_code == 200


def test_feeds_can_be_stored_beside_an_operator_file_that_cannot_be_read(served: OperatorServer) -> None:
    (served.corpus / "viewer_operator.yaml").write_text("a: [")
    assert put_feeds(served, FEED).status_code == 200


@pytest.mark.parametrize("bad", ["\0", "\n", "\r", "\t", " ", "\x1f", "\x7f", "\x85", "\u2028", "\u202e", "\ufeff"])
def test_addresses_with_spaces_or_control_characters(served: OperatorServer, bad: str) -> None:
    response = put_feeds(served, FEED, f"https://example.com/a{bad}b")
    assert refusal(response) == (400, 1, "url")
    assert not (served.corpus / "feeds.spec.yaml").exists()


@pytest.mark.parametrize("folder", ["/tmp/x", "../x", "a/../../x", "~/x", "C:\\x", "\\\\host\\share", "a\0b", "a\x1fb"])
def test_cache_folders_outside_the_corpus(served: OperatorServer, folder: str) -> None:
    assert refusal(put_feeds(served, {"url": FEED, "rss_cache_dir": folder})) == (400, 0, "rss_cache_dir")
    if folder.isprintable():
        quoted = folder.replace("\\", "\\\\")
        assert refusal(put_config(served, f'rss_cache_dir: "{quoted}"')) == (422, None, "rss_cache_dir")
    assert list(served.corpus.glob("*.yaml")) == []


LONG_KEY = "_comment" + "x" * 1100
ESCAPED = "\x7f" * 10_000  # ten characters each in the file


@pytest.mark.parametrize(
    ("comments", "status"),
    [
        ({LONG_KEY: "x"}, 422),
        ({"_comment" + "\x01" * 93: "x"}, 422),
        ({f"_comment{number}": "" for number in range(101)}, 422),
        ({f"_comment{number}": ESCAPED for number in range(100)}, 400),
    ],
    ids=["long key", "escaped key", "many", "long when written"],
)
def test_what_could_not_be_read_back_is_not_stored(
    served: OperatorServer, comments: dict[str, str], status: int
) -> None:
    path = served.corpus / "feeds.spec.yaml"
    assert put_feeds(served, FEED).status_code == 200
    before = path.read_bytes()
    response = served.http.put("/api/feeds", json={"feeds": [], **comments})
    assert (response.status_code, path.read_bytes()) == (status, before), response.text


def test_the_longest_comments_can_be_read_back(served: OperatorServer) -> None:
    keys = [f"_comment{number:02d}".ljust(100, "\x01") for number in range(100)]
    feeds = [f"https://example.com/{number}" for number in range(MAX_FEEDS)]
    comments = dict.fromkeys(keys, "\x01" * 500)
    assert served.http.put("/api/feeds", json={"feeds": feeds, **comments}).status_code == 200
    spec = feeds_spec.load(served.corpus / "feeds.spec.yaml")
    assert (len(spec.feeds), spec.comments) == (MAX_FEEDS, comments)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_comments_of_the_file_that_leave_no_room_for_the_feeds(
    few: bool, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds_spec, "MAX_NODES", 500)
    monkeypatch.setattr(feeds_spec, "MAX_READ_BACK_CHARS", 100_000 if whole else 0)
    many = {"_comment": [0] * 490}
    feeds = feeds_spec.from_entries([f"https://example.com/{number}" for number in range(3 if few else 100)], name="x")
    spec = replace(feeds, comments=many)
    if few:
        assert feeds_spec.parse(spec.dump_yaml(), name="x.yaml") == spec
    else:
        with pytest.raises(FeedsSpecError, match="more than"):
            spec.dump_yaml()
