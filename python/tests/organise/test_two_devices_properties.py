"""Whatever two devices do, one of them without a connection, and in whatever order it arrives: for each part of an
entry's state and for each tag the last decision counts, and the counts are right."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import httpx2
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nexus.db.session import Database
from nexus.services.library.changes import EntryUpdate, change_entry
from nexus.services.library.counts import count_entries
from nexus.services.library.entries import get_entry
from nexus.services.library.entry_tags import TagChanges
from nexus.services.library.tags import create_tag, delete_tag, list_tags
from nexus.services.organise.bulk import BulkChanges, change_many
from nexus.services.organise.selection import Chosen
from nexus.services.users import CurrentUser
from tests.api.saving import ALICE, library_of, save
from tests.lifecycle_steps import LifecycleSteps
from tests.organise.no_indexes import NO_INDEXES

TAGS = ("a", "a/b", "c")
SWITCHES = ("read", "archived", "starred")
ENTRIES = 3

switches = st.tuples(st.sampled_from(SWITCHES), st.booleans())
texts = st.tuples(st.sampled_from(("title", "note")), st.sampled_from((None, "one", "two")))
single_tags = st.tuples(st.sampled_from(("add", "remove")), st.sampled_from(TAGS))
whole_sets = st.tuples(st.just("tags"), st.frozensets(st.sampled_from(TAGS)))
of_one = st.integers(0, ENTRIES - 1).map(lambda number: frozenset({number}))
of_many = st.frozensets(st.integers(0, ENTRIES - 1), min_size=2)
actions = st.tuples(st.one_of(switches, texts, single_tags, whole_sets), of_one) | st.tuples(
    st.one_of(switches, single_tags), of_many
)
# Each action with the device that decides it, in the order of the decisions; the second device sends its own later.
histories = st.lists(st.tuples(actions, st.integers(0, 1)), min_size=1, max_size=12)
# A tag is taken away from many that never had it, and an older decision to add it comes after that.
LATE = [((("add", "a"), frozenset({0})), 1), ((("remove", "a"), frozenset({0, 1})), 0)]


class Model:
    """Plain Python: the time and the value of the last decision about each part and each tag of each entry."""

    def __init__(self) -> None:
        self.decided: dict[tuple[int, str], tuple[datetime, Any]] = {}

    def decide(self, what: str, value: Any, numbers: frozenset[int], at: datetime) -> None:
        for number in numbers:
            if what == "tags":
                for tag in TAGS:
                    self._one(number, tag, tag in value, at)
            elif what in ("add", "remove"):
                self._one(number, value, what == "add", at)
            else:
                self._one(number, what, value, at)

    def _one(self, number: int, name: str, value: Any, at: datetime) -> None:
        if (number, name) not in self.decided or self.decided[number, name][0] <= at:
            self.decided[number, name] = (at, value)

    def state(self, number: int) -> dict[str, Any]:
        values = {name: value for (which, name), (_, value) in self.decided.items() if which == number}
        found: dict[str, Any] = {name: bool(values.get(name)) for name in SWITCHES}
        found |= {name: values.get(name) for name in ("title", "note")}
        return found | {"tags": [tag for tag in TAGS if values.get(tag)]}


def send(database: Database, user: CurrentUser, media: list[UUID], action: Any, at: datetime) -> None:
    (what, value), numbers = action
    tags = TagChanges(
        all=value if what == "tags" else None,
        add=[value] if what == "add" else (),
        remove=[value] if what == "remove" else (),
    )
    given_state = {what: value} if what not in ("tags", "add", "remove") else {}
    with database.transaction() as session:
        if len(numbers) == 1:
            change_entry(session, user, media[min(numbers)], EntryUpdate(given_state, tags, at))
        else:
            chosen = Chosen([media[number] for number in numbers])
            changes = BulkChanges(given_state, tags, client_time=at)
            change_many(session, user, NO_INDEXES, chosen, changes)


def seen(database: Database, user: CurrentUser, media_id: UUID) -> dict[str, Any]:
    with database.transaction() as session:
        entry = get_entry(session, user, media_id)
    state: dict[str, Any] = {name: getattr(entry, f"{name}_at") is not None for name in SWITCHES}
    return state | {"title": entry.own_title, "note": entry.note, "tags": list(entry.tags)}


def test_the_last_decisions_count(client: httpx2.Client, database: Database, steps: LifecycleSteps) -> None:
    user = CurrentUser(ALICE, library_of(client, ALICE), is_operator=False)
    media = [steps.media_of(save(client, pasted_text=f"Words {number}")) for number in range(ENTRIES)]

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    @given(histories, st.randoms(use_true_random=False))
    @example(LATE, Random(0))
    def check(history: list[tuple[Any, int]], chance: Any) -> None:
        begin(database, user, media)
        model, start = Model(), datetime.now(UTC) - timedelta(hours=1)
        decisions = [(action, device, start + timedelta(seconds=at)) for at, (action, device) in enumerate(history)]
        offline = [each for each in decisions if each[1]]
        online = [each for each in decisions if not each[1]]
        # The second device sends in its own order, from some moment on, between what the first one does.
        arriving = [*online]
        position = chance.randint(0, len(online))
        for each in offline:
            position = chance.randint(position, len(arriving))
            arriving.insert(position, each)
            position += 1
        for action, _, at in arriving:
            (what, value), numbers = action
            model.decide(what, value, numbers, at)
            send(database, user, media, action, at)
        expected = [model.state(number) for number in range(ENTRIES)]
        assert [seen(database, user, media_id) for media_id in media] == expected
        check_counts(database, user, expected)

    check()


def begin(database: Database, user: CurrentUser, media: list[UUID]) -> None:
    """At the beginning nothing was decided."""
    with database.transaction() as session:
        for tag in list_tags(session, user):
            delete_tag(session, user, tag.id)
        for name in TAGS:
            create_tag(session, user, name, None)
        connection = session.connection()
        connection.exec_driver_sql(
            "UPDATE library_media SET read_at = NULL, last_read_at = NULL, archived_at = NULL, starred_at = NULL,"
            " own_title = NULL, note = NULL, read_decided_at = NULL, archived_decided_at = NULL,"
            " starred_decided_at = NULL, title_decided_at = NULL, note_decided_at = NULL, tags_decided_at = NULL"
        )


def check_counts(database: Database, user: CurrentUser, expected: list[dict[str, Any]]) -> None:
    with database.transaction() as session:
        counts, tags = count_entries(session, user), list_tags(session, user)
    inbox = [one for one in expected if not one["archived"]]
    assert (counts.all, counts.inbox, counts.starred, counts.unread) == (
        ENTRIES,
        len(inbox),
        sum(one["starred"] for one in expected),
        sum(not one["read"] for one in inbox),
    )
    assert [(tag.name, tag.entries, tag.inbox) for tag in tags] == [
        (name, sum(name in one["tags"] for one in expected), sum(name in one["tags"] for one in inbox)) for name in TAGS
    ]
