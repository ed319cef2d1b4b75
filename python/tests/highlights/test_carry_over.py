"""Highlights in later versions of their text, and in the text of another media."""

from typing import Any
from uuid import UUID

import httpx2
import pytest
from psycopg import Connection

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.services.highlights.carry_over import carry_batch, next_batch, write_batch
from nexus.services.users import CurrentUser
from nexus.worker.background_tasks import open_background
from nexus.worker.highlight_carrier import HighlightCarrier
from tests.api.saving import ALICE, BOB, LINK, as_user, library_of, save
from tests.api.streams import listening
from tests.api.test_errors import problem
from tests.conftest import settings_for
from tests.highlights.marking import TEXT, ago, at, change, mark, new_version, of_text, post, ready
from tests.lifecycle_steps import LifecycleSteps, article

SOLD = "Nobody read the ledger until the tower was sold."
SUMMER = "The lighthouse was built in a single summer."
CHILDREN = "where children come to look for the ship of their grandparents"
COUNTED = "The keeper counted every ship that passed the tower."
SHORT = f"{COUNTED} That is all of a short text."
SECOND = (
    "An editor's note was added here, some years later.\n\n"
    + TEXT.replace(SOLD, "No one read the ledger until the tower was sold.").replace(SUMMER + " ", "")
    + "\n\nAnd some more."
)


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> UUID:
    return ready(client, steps)


@pytest.fixture
def settings(postgres: EmbeddedServer, database_name: str) -> Settings:
    return settings_for(postgres, database_name)


def carry_all(database: Database) -> None:
    carrier = HighlightCarrier(database)
    while carrier.step():
        pass


def marked(highlight: dict[str, Any], words: str) -> str:
    """The words at the anchor, in a text with one fragment."""
    return words[highlight["start"]["offset"] : highlight["end"]["offset"]]


def test_they_follow_the_text(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, settings: Settings, media: UUID
) -> None:
    summer, sold, children = (mark(client, media, quote, note="Mine") for quote in (SUMMER, SOLD, CHILDREN))
    new_version(client, steps, SECOND)
    with open_background(settings, database) as background:  # as every worker has it
        background.drain(lambda: False)
    found = {each["id"]: each for each in of_text(client, media)}
    assert set(found) == {summer["id"], sold["id"], children["id"]}
    gone, edited, same = found[summer["id"]], found[sold["id"]], found[children["id"]]
    assert (same["state"], same["version"], marked(same, SECOND)) == ("attached", 2, CHILDREN)
    assert (edited["state"], edited["version"]) == ("attached", 2)
    assert marked(edited, SECOND) == "No one read the ledger until the tower was sold."
    assert edited["quote"] == SOLD, "as it was marked"
    assert (gone["state"], gone["version"], gone["start"], gone["end"]) == (
        "orphaned", 1, summer["start"], summer["end"])  # fmt: skip
    old = client.get(f"/media/{media}/fragments", params={"version": 1}, headers=as_user(ALICE)).json()["data"]
    assert marked(gone, old[0]["canonical_text"]) == SUMMER
    assert {each["note"] for each in found.values()} == {"Mine"}


def test_an_orphan_comes_back_with_its_words(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    mark(client, media, SUMMER)
    new_version(client, steps, SECOND)
    carry_all(database)
    third = SECOND.replace("Its keeper counted", f"{SUMMER} Its keeper counted") + " A third time."
    new_version(client, steps, third)
    carry_all(database)
    (back,) = of_text(client, media)
    assert (back["state"], back["version"], marked(back, third)) == ("attached", 3, SUMMER)


def test_small_changes_do_not_add_up(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    """The quote is always compared with the words that were marked first."""
    mark(client, media, SOLD)
    words = TEXT
    states = []
    for old, new in (("Nobody", "No one"), ("the ledger", "that diary"), ("the tower", "his house"), ("sold", "lost")):
        words = words.replace(f"{old} ", f"{new} ", 1) if old != "sold" else words.replace("sold", new)
        words += " And so on."
        new_version(client, steps, words)
        carry_all(database)
        (found,) = of_text(client, media)
        states.append(found["state"])
    assert states[0] == "attached"
    assert states[-1] == "orphaned"


def test_it_can_be_attached_by_hand(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    made = mark(client, media, SUMMER)
    new_version(client, steps, SECOND)
    carry_all(database)
    moved = change(client, made, **at(CHILDREN, SECOND, version=2))
    assert (moved["state"], moved["version"], moved["quote"]) == ("attached", 2, CHILDREN)
    assert of_text(client, media) == [moved]


def test_made_in_an_old_version_it_is_carried_over_at_once(
    client: httpx2.Client, steps: LifecycleSteps, media: UUID
) -> None:
    """A device that was offline marked words of the old version."""
    new_version(client, steps, SECOND)
    edited = mark(client, media, SOLD)
    assert (edited["version"], edited["state"], edited["quote"]) == (2, "attached", SOLD)
    gone = mark(client, media, SUMMER)
    assert (gone["version"], gone["state"], gone["quote"]) == (1, "orphaned", SUMMER)
    unquoted = post(client, media, **at(CHILDREN)).json()["data"]
    assert (unquoted["version"], marked(unquoted, SECOND)) == (2, CHILDREN)


def test_whoever_carries_them_may_be_killed(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    made = mark(client, media, CHILDREN)
    new_version(client, steps, SECOND)
    with database.transaction() as session:
        batch = next_batch(session)
    assert batch is not None
    carry_batch(batch)  # and nothing is written
    assert of_text(client, media) == [made]
    carry_all(database)
    assert of_text(client, media)[0]["version"] == 2
    assert HighlightCarrier(database).is_urgent() is False


def test_what_happens_while_they_are_compared_stays(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    moved, other = mark(client, media, CHILDREN), mark(client, media, SOLD)
    new_version(client, steps, SECOND)
    with database.transaction() as session:
        batch = next_batch(session)
    assert batch is not None
    rows = carry_batch(batch)
    by_hand = change(client, moved, **at("And some more", SECOND, version=2))
    with database.transaction() as session:
        write_batch(session, batch, rows)
    found = {each["id"]: each for each in of_text(client, media)}
    assert found[moved["id"]] == by_hand
    assert found[other["id"]]["version"] == 2
    # Yet another version became current: the results of the second are of no use.
    new_version(client, steps, SECOND + " Even more.")
    with database.transaction() as session:
        late = next_batch(session)
    assert late is not None
    third = carry_batch(late)
    new_version(client, steps, "A beginning. " + SECOND + " And the end.")
    with database.transaction() as session:
        write_batch(session, late, third)
    assert {each["version"] for each in of_text(client, media)} == {2}
    carry_all(database)
    assert {each["version"] for each in of_text(client, media)} == {4}


def test_everybody_is_told_of_their_own(
    dev_server: str, client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    steps.merge_item(save(client, BOB), media)
    mark(client, media, SOLD)
    new_version(client, steps, SECOND)
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        carry_all(database)
        assert mine.next() == ("highlights", {"media_id": str(media)})
        theirs.nothing_more()


def test_many_of_a_text_in_several_batches(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID, connection: Connection
) -> None:
    mark(client, media, CHILDREN)
    connection.execute("""
        INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset,
                                end_fragment, end_offset, quote, prefix, suffix, color, state)
        SELECT library_id, media_id, version, version, start_fragment, start_offset, end_fragment, end_offset, quote,
               prefix, suffix, color, state
        FROM highlights, generate_series(1, 250)
    """)
    connection.commit()
    new_version(client, steps, SECOND)
    carry_all(database)
    assert {(each["version"], marked(each, SECOND)) for each in of_text(client, media)} == {(2, CHILDREN)}


def test_they_go_along_with_a_pasted_text(client: httpx2.Client, steps: LifecycleSteps, database: Database) -> None:
    item = save(client)
    assert steps.succeed(steps.claim_one(), article(LINK, SHORT)) == "won"
    short = steps.media_of(item)
    there, gone = mark(client, short, COUNTED, words=SHORT), mark(client, short, "all of a short", words=SHORT)
    pasted = f"Somebody else wrote this before. {COUNTED} And everything that belongs to it. {TEXT}"
    response = client.patch(f"/items/{item}/text", json={"pasted_text": pasted}, headers=as_user(ALICE))
    assert response.status_code == 200, response.text
    new = steps.media_of(item)
    assert new != short
    waiting = of_text(client, short)
    assert {(each["id"], each["state"], each["version"], each["media_id"]) for each in waiting} == {
        (made["id"], "orphaned", None, str(new)) for made in (there, gone)
    }
    carry_all(database)
    found = {each["id"]: each for each in of_text(client, new)}
    assert (found[there["id"]]["state"], found[there["id"]]["version"]) == ("attached", 1)
    assert (found[gone["id"]]["state"], found[gone["id"]]["version"]) == ("orphaned", None)
    assert found[gone["id"]]["quote"] == "all of a short"


def test_they_go_along_with_a_short_text_that_is_kept(
    client: httpx2.Client, steps: LifecycleSteps, database: Database
) -> None:
    item = save(client)
    steps.succeed(steps.claim_one(), article(LINK, SHORT))
    made = mark(client, steps.media_of(item), COUNTED, words=SHORT)
    steps.keep(CurrentUser(ALICE, library_of(client, ALICE), is_operator=False), UUID(item))
    carry_all(database)
    (kept,) = of_text(client, steps.media_of(item))
    assert {**kept, "media_id": "", "updated_at": ""} == {**made, "media_id": "", "updated_at": ""}


def test_a_text_is_not_deleted_from_under_a_newer_highlight(client: httpx2.Client, media: UUID) -> None:
    mark(client, media, SOLD)
    asked = {"client_time": ago(5)}
    problem(client.delete(f"/media/{media}", params=asked, headers=as_user(ALICE)), 409, "changed_since")


def test_joined_tags_are_joined_on_highlights(client: httpx2.Client, media: UUID) -> None:
    mark(client, media, SOLD, tags=["ships", "boats"])
    mark(client, media, SUMMER, tags=["boats"])
    tags = {tag["name"]: tag["id"] for tag in client.get("/api/tags", headers=as_user(ALICE)).json()}
    renamed = client.patch(f"/api/tags/{tags['boats']}", json={"name": "Ships"}, headers=as_user(ALICE))
    assert renamed.status_code == 200, renamed.text
    assert [each["tags"] for each in of_text(client, media)] == [["ships"], ["ships"]]
    client.delete(f"/api/tags/{tags['ships']}", headers=as_user(ALICE))
    assert [each["tags"] for each in of_text(client, media)] == [[], []]


def test_of_a_deleted_one_only_its_id_is_kept(
    client: httpx2.Client, database: Database, media: UUID, connection: Connection
) -> None:
    made = mark(client, media, SOLD, note="Private", tags=["ships"])
    kept = mark(client, media, SUMMER, note="Stays", tags=["ships"])
    client.delete(f"/highlights/{made['id']}", headers=as_user(ALICE))
    carry_all(database)
    assert client.post(f"/highlights/{made['id']}/restore", headers=as_user(ALICE)).status_code == 200
    client.delete(f"/highlights/{made['id']}", headers=as_user(ALICE))
    connection.execute("UPDATE highlights SET deleted_at = deleted_at - interval '61 minutes' WHERE deleted_at < now()")
    connection.commit()
    carry_all(database)
    row = connection.execute(
        "SELECT quote, prefix, suffix, note, words::text FROM highlights WHERE id = %s", [made["id"]]
    )
    assert row.fetchone() == ("", "", "", None, "")
    assert connection.execute("SELECT count(*) FROM highlight_tags").fetchone() == (1,)
    assert of_text(client, media) == [kept]
    problem(client.post(f"/highlights/{made['id']}/restore", headers=as_user(ALICE)), 410, "undo_expired")
    problem(client.delete(f"/highlights/{made['id']}", headers=as_user(ALICE)), 404, "not_found")
    problem(post(client, media, **at(SOLD) | {"id": made["id"]}), 410, "highlight_deleted")


def test_a_text_that_cannot_be_done_holds_up_no_other(
    client: httpx2.Client, steps: LifecycleSteps, database: Database, media: UUID
) -> None:
    url = "https://example.com/other"
    other = steps.succeed_item(save(client, url=url), TEXT, canonical_url=url)
    for each in (media, other):
        mark(client, each, SOLD)
    new_version(client, steps, SECOND)
    save(client, url=url)
    assert steps.succeed(steps.claim_one(), article(url, SECOND), min_chars=0) == "new_version"
    seen = set()
    for _ in range(60):  # none of them is ever done
        with database.transaction() as session:
            batch = next_batch(session)
        assert batch is not None
        seen.add(batch.media_id)
    assert seen == {media, other}
