"""Highlights of a text are created, listed, changed, deleted and restored, by several devices and users."""

from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.episodes import fragments_of, save_episode
from tests.highlights.marking import TEXT, ago, at, change, mark, of_text, post, ready
from tests.lifecycle_steps import LifecycleSteps


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> UUID:
    return ready(client, steps)


def delete(client: httpx2.Client, highlight: dict[str, Any], user: UUID = ALICE, **asked: Any) -> httpx2.Response:
    return client.delete(f"/highlights/{highlight['id']}", params=asked, headers=as_user(user))


def restore(client: httpx2.Client, highlight: dict[str, Any], user: UUID = ALICE) -> httpx2.Response:
    return client.post(f"/highlights/{highlight['id']}/restore", headers=as_user(user))


def test_a_marked_passage_is_kept_with_its_context(client: httpx2.Client, media: UUID) -> None:
    quote = "Nobody read the ledger until the tower was sold."
    made = mark(client, media, quote, color="green", note=" Why? ", tags=["Towers", "history/Sea"])
    start = TEXT.index(quote)
    assert made["quote"] == quote
    assert (made["prefix"], made["suffix"]) == (
        TEXT[start - 64 : start],
        TEXT[start + len(quote) : start + len(quote) + 64],
    )
    assert (made["color"], made["note"], made["tags"]) == ("green", "Why?", ["history/Sea", "Towers"])
    assert (made["state"], made["version"], made["start_ms"], made["seen_at"]) == ("attached", 1, None, None)
    assert of_text(client, media) == [made]
    assert {tag["name"] for tag in client.get("/api/tags", headers=as_user(ALICE)).json()} == {"Towers", "history/Sea"}


def test_they_come_in_the_order_of_the_text_and_may_overlap(client: httpx2.Client, media: UUID) -> None:
    third = mark(client, media, "behind glass")
    first = mark(client, media, "built in a single summer. Its keeper")
    second = mark(client, media, "Its keeper counted")
    assert of_text(client, media) == [first, second, third]
    assert (first["color"], first["note"], first["tags"]) == ("yellow", None, [])


def test_across_the_fragments_of_a_transcript(client: httpx2.Client, database: Database) -> None:
    episode = save_episode(database, ALICE, fragments_of("Welcome back.", "Today: ships.", "Goodbye."))
    start, end = {"fragment_idx": 1, "offset": 7}, {"fragment_idx": 2, "offset": 4}
    response = post(client, episode, version=1, start=start, end=end, quote="ships.\nGood")
    assert response.status_code == 201, response.text
    made = response.json()["data"]
    assert (made["start"], made["end"], made["quote"]) == (start, end, "ships.\nGood")
    assert made["start_ms"] == 1000
    assert (made["prefix"], made["suffix"]) == ("Welcome back.\nToday: ", "bye.")


def test_offsets_are_code_points(client: httpx2.Client, steps: LifecycleSteps) -> None:
    words = "🙂🙂 a\u0301 שלום 👩‍👩‍👧 done " * 20
    media = ready(client, steps, words.strip())
    made = mark(client, media, "שלום 👩‍👩‍👧", words=words)
    assert made["start"]["offset"] == words.index("שלום")
    assert made["quote"] == "שלום 👩‍👩‍👧"


@pytest.mark.parametrize(
    "place",
    [
        {"start": {"fragment_idx": 0, "offset": 5}, "end": {"fragment_idx": 0, "offset": 5}},
        {"start": {"fragment_idx": 0, "offset": 6}, "end": {"fragment_idx": 0, "offset": 5}},
        {"start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 0, "offset": 100_000}},
        {"start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 1, "offset": 0}},
        {"start": {"fragment_idx": 0, "offset": 3}, "end": {"fragment_idx": 0, "offset": 4}},  # a blank
    ],
)
def test_what_is_no_passage(client: httpx2.Client, media: UUID, place: dict[str, Any]) -> None:
    problem(post(client, media, version=1, **place), 422, "invalid_range")
    assert of_text(client, media) == []


@pytest.mark.parametrize(
    "body",
    [
        {"color": "red"},
        {"note": "x" * 10_001},
        {"quote": "x" * 50_001},
        {"version": 0},
        {"start": {"fragment_idx": 0, "offset": -1}},
        {"start": {"fragment_idx": 0, "offset": 1.5}},
        {"prefix": "x" * 65},
        {"client_time": "2026-01-01T00:00:00"},
        {"colour": "green"},
        {"id": "mine"},
    ],
)
def test_what_is_no_highlight(client: httpx2.Client, media: UUID, body: dict[str, Any]) -> None:
    problem(post(client, media, **at("keeper") | body), 422, "invalid_request")


def test_a_quote_that_is_elsewhere_is_found_by_its_words(client: httpx2.Client, media: UUID) -> None:
    elsewhere = at("The lighthouse") | {"quote": "Then a schoolteacher found in it the names", "color": "blue"}
    made = post(client, media, **elsewhere).json()["data"]
    assert made["start"]["offset"] == TEXT.index("Then a schoolteacher")
    # A word of which there are several: its context says which.
    context = {"prefix": "town's library, behind glass, where ", "suffix": " come to look"}
    made = post(client, media, **at("built") | {"quote": "children"} | context).json()["data"]
    assert made["start"]["offset"] == TEXT.index("children")
    refused = post(client, media, **at("keeper") | {"quote": "Somebody else wrote all of these words."})
    problem(refused, 409, "text_moved")
    problem(post(client, media, **at("keeper") | {"version": 7}), 409, "text_moved")
    assert len(of_text(client, media)) == 2


def test_sent_twice_it_is_one(client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    named = str(uuid4())
    made = mark(client, media, "keeper", id=named, client_time=ago(60))
    assert made["id"] == named
    assert made["created_at"] < ago(59)
    assert mark(client, media, "keeper", id=named, color="pink") == made
    assert len(of_text(client, media)) == 1
    paste = steps.media_of(save(client, pasted_text="The keeper is in another text, too."))
    problem(post(client, paste, **at("The keeper", "The keeper") | {"id": named}), 409, "highlight_exists")
    delete(client, made)
    problem(post(client, media, **at("keeper") | {"id": named}), 410, "highlight_deleted")


def test_each_part_is_decided_by_its_own_time(client: httpx2.Client, media: UUID) -> None:
    made = mark(client, media, "keeper", client_time=ago(60))
    changed = change(client, made, color="blue", client_time=ago(30))
    changed = change(client, made, color="pink", note="Older", tags=["old"], client_time=ago(40))
    assert (changed["color"], changed["note"], changed["tags"]) == ("blue", "Older", ["old"])
    changed = change(client, made, note=None, tags=["new"], client_time=ago(20))
    assert (changed["note"], changed["tags"]) == (None, ["new"])
    assert change(client, made, color="green", note="Before it was made", client_time=ago(90))["color"] == "blue"
    assert change(client, made) == of_text(client, media)[0]
    moved = change(client, made, **at("schoolteacher"), quote="schoolteacher")
    assert (moved["quote"], moved["prefix"][-7:], moved["suffix"][:6]) == ("schoolteacher", "Then a ", " found")
    assert change(client, made, **at("keeper"), client_time=ago(5))["quote"] == "schoolteacher"
    response = client.patch(f"/highlights/{made['id']}", json={"version": 1}, headers=as_user(ALICE))
    problem(response, 422, "invalid_request")


def test_deleted_and_restored(client: httpx2.Client, media: UUID, connection: Connection) -> None:
    made = mark(client, media, "keeper", tags=["ships"], note="Mine")
    assert delete(client, made).status_code == 204
    assert delete(client, made).status_code == 204, "doing it twice is fine"
    assert of_text(client, media) == []
    problem(client.patch(f"/highlights/{made['id']}", json={"color": "pink"}, headers=as_user(ALICE)), 404, "not_found")
    back = restore(client, made).json()["data"]
    assert {**back, "updated_at": None} == {**made, "updated_at": None}
    assert restore(client, made).json()["data"] == back
    delete(client, made)
    connection.execute("UPDATE highlights SET deleted_at = deleted_at - interval '61 minutes'")
    connection.commit()
    problem(restore(client, made), 410, "undo_expired")


def test_an_older_deletion_changes_nothing(client: httpx2.Client, media: UUID) -> None:
    made = mark(client, media, "keeper", client_time=ago(60))
    change(client, made, note="Since then", client_time=ago(10))
    problem(delete(client, made, client_time=ago(20)), 409, "changed_since")
    assert delete(client, made, client_time=ago(5)).status_code == 204
    restore(client, made)
    problem(delete(client, made, client_time=ago(4)), 409, "changed_since")


def test_other_users_learn_nothing(client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    made = mark(client, media, "keeper")
    nowhere = uuid4()
    for theirs, unknown in (
        (post(client, media, BOB, **at("keeper")), post(client, nowhere, BOB, **at("keeper"))),
        (client.get(f"/media/{media}/highlights", headers=as_user(BOB)), None),
        (client.patch(f"/highlights/{made['id']}", json={"note": "x"}, headers=as_user(BOB)), None),
        (delete(client, made, BOB), delete(client, {"id": nowhere}, BOB)),
        (restore(client, made, BOB), restore(client, {"id": nowhere}, BOB)),
    ):
        detail = problem(theirs, 404, "not_found")
        if unknown is not None:
            assert problem(unknown, 404, "not_found")["message"] == detail["message"]
    steps.merge_item(save(client, BOB), media)
    assert of_text(client, media, BOB) == []
    mine = mark(client, media, "ledger", BOB, id=made["id"])
    assert of_text(client, media, BOB) == [mine], "the same id, and yet two"
    assert of_text(client, media) == [made]


def test_other_devices_get_an_event(dev_server: str, client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    steps.merge_item(save(client, BOB), media)
    told = ("highlights", {"media_id": str(media)})
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        made = mark(client, media, "keeper")
        assert mine.next() == told
        change(client, made, color="pink")
        assert mine.next() == told
        change(client, made, color="blue", client_time=ago(5))  # changes nothing: nobody is told
        change(client, made)
        delete(client, made)
        assert mine.next() == told
        restore(client, made)
        assert mine.next() == told
        mine.nothing_more()
        theirs.nothing_more()


def test_a_text_has_so_many(client: httpx2.Client, media: UUID, connection: Connection) -> None:
    made = mark(client, media, "keeper")
    connection.execute("""
        INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset,
                                end_fragment, end_offset, quote, prefix, suffix, color, state)
        SELECT library_id, media_id, 1, 1, 0, 0, 0, 3, 'The', '', '', 'blue', 'attached'
        FROM highlights, generate_series(1, 9999)
    """)
    connection.commit()
    problem(post(client, media, **at("ledger")), 409, "too_many_highlights")
    delete(client, made)
    assert post(client, media, **at("ledger")).status_code == 201
    problem(restore(client, made), 409, "too_many_highlights")


def test_the_highlights_of_a_text_have_so_many_characters(
    client: httpx2.Client, media: UUID, connection: Connection
) -> None:
    """They are sent together."""
    made = mark(client, media, "keeper")
    connection.execute("""
        INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset,
                                end_fragment, end_offset, quote, prefix, suffix, color, state)
        SELECT library_id, media_id, 1, 1, 0, 0, 0, 3, repeat('x', CASE number WHEN 1 THEN 49990 ELSE 50000 END),
               '', '', 'blue', 'attached'
        FROM highlights, generate_series(1, 200) AS number
    """)
    connection.commit()
    detail = problem(post(client, media, **at("ledger")), 409, "too_many_highlights")
    assert "10000000 characters" in detail["message"]
    longer = client.patch(f"/highlights/{made['id']}", json=at("schoolteacher"), headers=as_user(ALICE))
    problem(longer, 409, "too_many_highlights")
    assert change(client, made, **at("passed"))["quote"] == "passed"
    assert delete(client, made).status_code == 204
    other = post(client, media, **at("schoolteac"))
    assert other.status_code == 201
    problem(restore(client, made), 409, "too_many_highlights")
    assert delete(client, other.json()["data"]).status_code == 204
    assert restore(client, made).status_code == 200


def test_what_cannot_be_read_cannot_be_highlighted(client: httpx2.Client, steps: LifecycleSteps) -> None:
    media = steps.media_of(save(client))
    problem(post(client, media, **at("keeper")), 409, "media_not_ready")
    assert of_text(client, media) == []


def test_deleting_the_text_deletes_its_highlights(client: httpx2.Client, media: UUID, connection: Connection) -> None:
    mark(client, media, "keeper", tags=["ships"])
    assert client.delete(f"/media/{media}", headers=as_user(ALICE)).status_code == 204
    assert connection.execute("SELECT count(*) FROM highlights").fetchone() == (0,)
