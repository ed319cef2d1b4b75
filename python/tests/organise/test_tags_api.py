"""Tags are created by using them, renamed, joined and deleted; each user has their own."""

from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection

from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.api.test_library_api import library
from tests.lifecycle_steps import LifecycleSteps
from tests.organise.test_entry_state_api import ago, change, entry


def tags(client: httpx2.Client, user: UUID = ALICE) -> dict[str, tuple[int, int]]:
    """By name the number of entries, and of those in the Inbox."""
    found = client.get("/api/tags", headers=as_user(user)).json()
    return {tag["name"]: (tag["entries"], tag["inbox"]) for tag in found}


def tag_id(client: httpx2.Client, name: str) -> str:
    found = client.get("/api/tags", headers=as_user(ALICE)).json()
    return next(str(tag["id"]) for tag in found if tag["name"] == name)


def rename(client: httpx2.Client, tag: str, **body: Any) -> httpx2.Response:
    return client.patch(f"/api/tags/{tag_id(client, tag)}", json=body, headers=as_user(ALICE))


def listed(client: httpx2.Client, *names: str, **asked: Any) -> set[str]:
    return {one["media_id"] for one in library(client, ALICE, tag=list(names), **asked)["entries"]}


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> list[str]:
    """Three texts."""
    return [str(steps.media_of(save(client, pasted_text=f"Zebra {n}"))) for n in range(3)]


def test_tags_are_made_by_using_them(client: httpx2.Client, media: list[str]) -> None:
    first, second, _ = media
    changed = change(client, first, tags=["  Science  fiction ", "Éric", "a / b", "eric"])
    assert changed["tags"] == ["a/b", "Éric", "Science fiction"]
    assert change(client, second, add_tags=["ERIC"])["tags"] == ["Éric"], "the spelling that is there"
    assert tags(client) == {"a/b": (1, 1), "Éric": (2, 2), "Science fiction": (1, 1)}
    change(client, first, archived=True)
    assert tags(client)["Éric"] == (2, 1)
    assert change(client, first, add_tags=["new"], remove_tags=["éric", "nowhere"])["tags"] == [
        "a/b", "new", "Science fiction",
    ]  # fmt: skip
    assert change(client, first, tags=[])["tags"] == []
    assert tags(client) == {"a/b": (0, 0), "Éric": (1, 1), "new": (0, 0), "Science fiction": (0, 0)}
    assert entry(client, second)["tags"] == ["Éric"]


def test_lists_and_searches_by_tag(client: httpx2.Client, media: list[str]) -> None:
    first, second, third = media
    change(client, first, tags=["a", "a/b", "x"])
    change(client, second, tags=["a/b/c", "x"], archived=True)
    change(client, third, tags=["ab"])
    assert listed(client, "A", archived="any") == {first, second}, "with those below"
    assert listed(client, "a/b", archived="true") == {second}
    assert listed(client, "a") == {first}
    assert listed(client, "a", "x", archived="any") == {first, second}
    assert listed(client, "a", "ab", archived="any") == set()
    assert listed(client, "nowhere") == set()
    asked = {"q": "zebra", "tag": ["a/b"]}
    hits = client.get("/api/search", params=asked, headers=as_user(ALICE)).json()["hits"]
    assert {hit["entry"]["media_id"] for hit in hits} == {first, second}
    problem(client.get("/api/library", params={"tag": " / "}, headers=as_user(ALICE)), 422, "invalid_tag")
    # Each once, over pages.
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = library(client, ALICE, tag="a", archived="any", limit=1, **cursor)
        seen += [one["media_id"] for one in page["entries"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == [second, first]


def test_renaming_and_joining(client: httpx2.Client, media: list[str]) -> None:
    first, second, third = media
    change(client, first, tags=["news", "news/world"])
    change(client, second, tags=["press/world"])
    change(client, third, tags=["press"])
    assert rename(client, "news", color="teal").json()["color"] == "teal"
    assert rename(client, "news", name="News").json()["name"] == "News"
    assert entry(client, first)["tags"] == ["News", "News/world"]
    joined = rename(client, "News", name="Press").json()
    assert (joined["name"], joined["entries"], joined["color"]) == ("press", 2, "teal"), (
        "it becomes the one that is there"
    )
    assert tags(client) == {"press": (2, 2), "press/world": (2, 2)}
    assert entry(client, first)["tags"] == ["press", "press/world"]
    assert rename(client, "press", name="press/old").status_code == 200, "below itself"
    assert tags(client) == {"press/old": (2, 2), "press/old/world": (2, 2)}
    problem(rename(client, "press/old", name="x" * 97), 422, "invalid_tag")
    assert client.delete(f"/api/tags/{tag_id(client, 'press/old')}", headers=as_user(ALICE)).status_code == 204
    assert tags(client) == {"press/old/world": (2, 2)}
    assert listed(client, "press") == {first, second}, "what is below it keeps its name"


def test_entries_of_a_tag_that_goes_are_updated_at_once(
    client: httpx2.Client, media: list[str], connection: Connection
) -> None:
    """One statement for any number of entries: each statement fires the triggers that count."""
    for one in media:
        change(client, one, tags=["a"])
    connection.execute("""
        CREATE TEMPORARY TABLE seen (what text);
        CREATE FUNCTION pg_temp.note() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN INSERT INTO seen VALUES (TG_OP); RETURN NULL; END$$;
        CREATE TRIGGER seen AFTER UPDATE ON library_media FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.note();
        DELETE FROM tags
    """)
    assert connection.execute("SELECT what FROM seen").fetchall() == [("UPDATE",)]
    assert connection.execute("SELECT count(*) FROM library_media WHERE has_tags").fetchone() == (0,)
    connection.rollback()


def test_signs_that_stand_for_a_slash(client: httpx2.Client, media: list[str]) -> None:
    typed = ["日本\uff0f東京", "日本", "℅", "℅/℀"]
    assert change(client, media[0], tags=typed)["tags"] == ["℅", "℅/℀", "日本", "日本/東京"]
    assert change(client, media[1], tags=["日本/東京", "c", "c/o"])["tags"] == ["c", "c/o", "日本/東京"]
    assert rename(client, "日本", name="Japan").json()["name"] == "Japan"
    assert rename(client, "c", name="d").status_code == 200
    assert rename(client, "℅", name="care of").status_code == 200
    assert tags(client) == {
        "care of": (1, 1), "care of/℀": (1, 1), "d": (1, 1), "d/o": (1, 1), "Japan": (1, 1), "Japan/東京": (2, 2),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["", "  ", "/", "a//b", "a/", "x" * 101, "\n\t", "\u200b", "a/\u200e \u2060"])
def test_names_that_are_none(client: httpx2.Client, media: list[str], name: str) -> None:
    problem(client.post("/api/tags", json={"name": name}, headers=as_user(ALICE)), 422, "invalid_tag")
    refused = client.patch(f"/api/library/{media[0]}", json={"add_tags": [name]}, headers=as_user(ALICE))
    problem(refused, 422, "invalid_tag")


def test_making_a_tag(client: httpx2.Client) -> None:
    made = client.post("/api/tags", json={"name": "Später", "color": "blue"}, headers=as_user(ALICE))
    assert (made.status_code, made.json() | {"id": 0}) == (
        201, {"id": 0, "name": "Später", "color": "blue", "entries": 0, "inbox": 0},
    )  # fmt: skip
    problem(client.post("/api/tags", json={"name": "spater"}, headers=as_user(ALICE)), 409, "tag_exists")
    problem(
        client.post("/api/tags", json={"name": "b", "color": "pink"}, headers=as_user(ALICE)), 422, "invalid_request"
    )


def test_limits(client: httpx2.Client, connection: Connection, media: list[str]) -> None:
    refused = client.patch(
        f"/api/library/{media[0]}", json={"tags": [f"t{n}" for n in range(101)]}, headers=as_user(ALICE)
    )
    problem(refused, 409, "too_many_tags")
    assert tags(client) == {}, "all of it or nothing"
    change(client, media[0], tags=[f"t{n}" for n in range(100)])
    refused = client.patch(f"/api/library/{media[0]}", json={"add_tags": ["one more"]}, headers=as_user(ALICE))
    problem(refused, 409, "too_many_tags")
    connection.execute(
        "INSERT INTO tags (user_id, name, name_key) SELECT %s, 'n' || n, 'n' || n FROM generate_series(1, 900) AS n",
        [ALICE],
    )
    connection.commit()
    problem(client.post("/api/tags", json={"name": "one more"}, headers=as_user(ALICE)), 409, "too_many_tags")
    assert client.post("/api/tags", json={"name": "one more"}, headers=as_user(BOB)).status_code == 201


def test_the_last_decision_about_each_tag_counts(client: httpx2.Client, media: list[str]) -> None:
    first, *_ = media
    change(client, first, add_tags=["a", "b"], client_time=ago(minutes=10))
    change(client, first, remove_tags=["a"], client_time=ago(minutes=8))
    assert change(client, first, add_tags=["a"], client_time=ago(minutes=9))["tags"] == ["b"]
    assert change(client, first, tags=["c"], client_time=ago(minutes=9))["tags"] == ["c"]
    # Older than the whole set, also where that did not name the tag.
    assert change(client, first, add_tags=["b", "d"], client_time=ago(minutes=9.5))["tags"] == ["c"]
    assert change(client, first, tags=["e"], client_time=ago(minutes=9.5))["tags"] == ["c"]
    assert change(client, first, add_tags=["b", "d"], client_time=ago(minutes=7))["tags"] == ["b", "c", "d"]
    assert tags(client)["a"] == (0, 0)


def test_tags_of_others(dev_server: str, client: httpx2.Client, steps: LifecycleSteps) -> None:
    shared = steps.succeed_item(save(client))
    steps.merge_item(save(client, BOB), shared)
    with listening(dev_server, BOB) as theirs, listening(dev_server, ALICE) as mine:
        change(client, shared, tags=["secret"])
        told = {mine.next()[0], mine.next()[0]}
        assert told == {"entry", "tags"}
        assert (tags(client, BOB), entry(client, shared, BOB)["tags"]) == ({}, [])
        assert library(client, BOB, tag="secret")["entries"] == []
        mine_id = tag_id(client, "secret")
        for missing in (mine_id, str(uuid4())):
            for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
                answer = client.request(method, f"/api/tags/{missing}", json=body, headers=as_user(BOB))
                problem(answer, 404, "not_found")
        theirs.nothing_more()
        rename(client, "secret", name="open")
        assert mine.next() == ("tags", {})
        mine.nothing_more()


def test_tags_of_entries_that_are_joined_or_moved(client: httpx2.Client, steps: LifecycleSteps) -> None:
    found = steps.succeed_item(save(client))
    change(client, found, tags=["a", "b"])
    again = save(client)
    change(client, steps.media_of(again), tags=["b", "c"])
    steps.merge_item(again, found)
    assert entry(client, found)["tags"] == ["a", "b", "c"]
    assert tags(client) == {"a": (1, 1), "b": (1, 1), "c": (1, 1)}
    failed = save(client, url="https://example.com/failed")
    steps.fail_item(failed)
    change(client, steps.media_of(failed), tags=["a"])
    client.patch(f"/items/{failed}/text", json={"pasted_text": "My words"}, headers=as_user(ALICE)).raise_for_status()
    assert entry(client, steps.media_of(failed))["tags"] == ["a"]
    assert tags(client)["a"] == (2, 2)
    assert client.delete(f"/items/{failed}", headers=as_user(ALICE)).status_code == 204
    assert tags(client)["a"] == (1, 1)
