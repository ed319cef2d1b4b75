"""Any sequence of events keeps the invariants of the lifecycle."""

from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from psycopg import Connection
from sqlalchemy import text

from nexus.db.session import Database
from nexus.errors import (
    NotFetchedFromWebError,
    NothingToKeepError,
    NotWaitingForTextError,
    RetryExhaustedError,
    RetryInvalidStateError,
)
from nexus.services import lifecycle
from nexus.services.lifecycle import Claim, Postponed
from nexus.services.users import CurrentUser
from tests.db.invariants import VIOLATIONS
from tests.db.transitions import BROKEN, SUCCEEDED, TOO_SHORT, TRANSITIONS, UNREADABLE, State
from tests.empty_tables import empty_tables
from tests.lifecycle_steps import URL, LifecycleSteps, article

MOVES = {(before, after) for _, before, after in TRANSITIONS}
CODES = ("http_404", "timeout", "sanitization_failed", "internal_error", "blocked_page")
OWNER = "SELECT user_id FROM items WHERE id = :p0"
some = st.integers(0, 999)


class Lifecycle(RuleBasedStateMachine):
    database: Database
    connection: Connection

    @initialize()
    def begin(self) -> None:
        with self.database.transaction() as session:
            empty_tables(session.connection())
        self.steps = LifecycleSteps(self.database, self.connection)
        self.users = [self.steps.user() for _ in range(2)]
        self.claims: list[Claim] = []
        self.late: list[Claim] = []
        self.known: dict[UUID, State] = {}
        self.ids: dict[UUID, tuple[CurrentUser, UUID]] = {}
        self.texts: dict[tuple[UUID, int], str] = {}

    @rule(which=some, attempts=st.integers(1, 2))
    def save(self, which: int, attempts: int) -> None:
        user = self.users[which % 2]
        saved = self.steps.save(user, max_attempts=attempts)
        self.ids[self.steps.media_of(saved)] = (user, saved)

    @rule(limit=st.integers(1, 3))
    def claim(self, limit: int) -> None:
        self.steps.make_due()
        self.claims += self.steps.claim(limit=limit, worker_id=uuid4())

    @rule(which=some, page=st.integers(0, 1), is_short=st.booleans(), edition=st.integers(0, 2))
    def succeed(self, which: int, page: int, is_short: bool, edition: int) -> None:
        if claim := self.taken(which):
            words = "Short." if is_short else "Long. " * 200
            found = article(f"https://example.org/{page}", words + "Again. " * edition, title=f"Edition {edition}")
            assert self.steps.succeed(claim, found) != "lost_lease"

    @rule(which=some)
    def postpone(self, which: int) -> None:
        if claim := self.taken(which):
            with self.steps.session() as session:
                assert lifecycle.settle(session, [Postponed(claim, 60, "Busy.")], min_chars=1) == {claim: "postponed"}

    @rule(which=some, code=st.sampled_from(CODES), retryable=st.booleans())
    def fail(self, which: int, code: str, retryable: bool) -> None:
        if claim := self.taken(which):
            assert self.steps.fail(claim, code, retryable=retryable) in ("requeued", "failed")

    @rule(which=some)
    def lose_worker(self, which: int) -> None:
        if claim := self.taken(which):
            self.steps.expire_lease(claim.item_id)
            assert self.steps.sweep() == 1
            self.late.append(claim)

    @rule(which=some)
    def release(self, which: int) -> None:
        if claim := self.taken(which):
            with self.database.transaction() as session:
                assert lifecycle.release(session, [claim], worker_id=claim.worker_id) == 1
            self.late.append(claim)

    @rule(which=some, good=st.booleans())
    def wake_up_late(self, which: int, good: bool) -> None:
        if self.late:
            claim = self.late[which % len(self.late)]
            before = self.everything()
            result = self.steps.succeed(claim) if good else self.steps.fail(claim)
            with self.database.transaction() as session:
                assert lifecycle.release(session, [claim], worker_id=claim.worker_id) == 0
            assert (result, self.everything()) == ("lost_lease", before)

    @rule(which=some)
    def crash_while_settling(self, which: int) -> None:
        """A worker that is killed before the commit has written nothing."""
        if claim := self.taken(which):
            before = self.everything()
            with suppress(KeyboardInterrupt), self.database.transaction() as session:
                lifecycle.settle(session, [lifecycle.Succeeded(claim, article(), ())], min_chars=0)
                raise KeyboardInterrupt
            assert self.everything() == before
            self.claims.append(claim)

    @rule(which=some)
    def paste(self, which: int) -> None:
        if found := self.item(which):
            user, saved, state = found
            try:
                self.steps.paste(user, saved, "What I remember of it.")
                assert state.item == "needs_user_text"
            except NotWaitingForTextError:
                assert state.item != "needs_user_text"

    @rule(which=some)
    def keep(self, which: int) -> None:
        if found := self.item(which):
            user, saved, state = found
            try:
                self.steps.keep(user, saved)
                assert state == TOO_SHORT
            except NotWaitingForTextError:
                assert state.item != "needs_user_text"
            except NothingToKeepError:
                assert state == UNREADABLE

    @rule(which=some, page=st.sampled_from([URL, "https://example.org/0"]), edition=st.integers(0, 1))
    def capture(self, which: int, page: str, edition: int) -> None:
        """A worker that reads the same page meanwhile then writes nothing."""
        user = self.users[which % 2]
        captured = self.steps.capture(user, page, f"As I see it. {edition}")
        assert self.states()[captured.item_id] == SUCCEEDED
        processing = {item for item, state in self.states().items() if state.item == "processing"}
        self.late += [claim for claim in self.claims if claim.item_id not in processing]
        self.claims = [claim for claim in self.claims if claim.item_id in processing]

    @rule(which=some)
    def retry(self, which: int) -> None:
        if found := self.item(which):
            user, saved, state = found
            media_id = self.steps.media_of(saved)
            tried = self.steps.row("SELECT processing_attempts FROM media WHERE id = :p0", media_id)[0]
            try:
                self.steps.retry(user, media_id)
                assert (state.media, tried < 3) == ("failed", True)
            except RetryInvalidStateError:
                assert state.media != "failed"
            except RetryExhaustedError:
                assert state.media == "failed"
                assert tried >= 3

    @rule(which=some)
    def fetch_again(self, which: int) -> None:
        """Each fetch comes a minute after the last one; a text that can be read stays as it is."""
        if found := self.item(which):
            user, saved, state = found
            self.steps.backdate_fetches()
            media_id = self.steps.media_of(saved)
            was_readable = state.media == "ready_for_reading"
            kind, key = self.steps.row("SELECT kind, captured_url_key FROM media WHERE id = :p0", media_id)
            try:
                fetch = self.steps.fetch_again(user, media_id)
            except NotFetchedFromWebError:
                assert kind == "pasted_text" or key
            else:
                assert fetch.processing_status == ("pending" if state.media == "failed" else state.media)
                assert not was_readable or self.states()[saved] == state

    @rule(which=some)
    def save_again(self, which: int) -> None:
        user = self.users[which % 2]
        failed = {item for item, state in self.states().items() if state in (UNREADABLE, BROKEN, TOO_SHORT)}
        saved = self.steps.save(user, URL + "#again")
        mine = self.steps.row("SELECT user_id FROM items WHERE id = :p0", saved)[0]
        assert mine == user.user_id
        if saved not in failed:
            theirs = {item for item in failed if self.steps.row(OWNER, item)[0] == user.user_id}
            assert theirs == set(), "one that failed would have been there"
            self.ids[self.steps.media_of(saved)] = (user, saved)

    @rule(which=some)
    def remove(self, which: int) -> None:
        if found := self.item(which):
            user, saved, _ = found
            self.steps.remove(user, saved)
            there = self.states()
            self.claims = [claim for claim in self.claims if claim.item_id in there]

    @invariant()
    def invariants_hold(self) -> None:
        with self.database.transaction() as session:
            found = {name: session.execute(text(query)).first() for name, query in VIOLATIONS.items()}
        assert {name for name, row in found.items() if row} == set()

    @invariant()
    def every_move_is_in_the_table(self) -> None:
        now = self.states()
        moved = {(self.known[item], state) for item, state in now.items() if self.known.get(item, state) != state}
        assert moved <= MOVES
        first = {state for item, state in now.items() if item not in self.known}
        assert first <= {State("queued", "pending"), SUCCEEDED}
        self.known = now

    @invariant()
    def every_id_ever_given_out_answers_or_its_item_was_removed(self) -> None:
        items = self.states()
        for media_id, (user, item) in self.ids.items():
            if item in items:
                assert self.steps.row(
                    "SELECT 1 FROM items WHERE id = :p0 AND (media_id = :p1 OR media_id = (SELECT media_id"
                    " FROM media_aliases WHERE alias_id = :p1 AND user_id = :p2)"
                    " OR EXISTS (SELECT FROM media WHERE media.id = media_id AND owner_user_id IS NOT NULL))",
                    item, media_id, user.user_id,
                ) is not None  # fmt: skip

    @invariant()
    def no_text_is_ever_lost_while_somebody_has_it(self) -> None:
        query = text("SELECT media_id, version, canonical_text FROM fragments")
        with self.database.transaction() as session:
            now = {(row.media_id, row.version): row.canonical_text for row in session.execute(query)}
            there = set(session.scalars(text("SELECT id FROM media")))
        assert {key: words for key, words in self.texts.items() if key[0] in there}.items() <= now.items()
        self.texts = now

    def taken(self, which: int) -> Claim | None:
        return self.claims.pop(which % len(self.claims)) if self.claims else None

    def item(self, which: int) -> tuple[CurrentUser, UUID, State] | None:
        rows = sorted((item, state) for item, state in self.states().items() if item not in self.fetches())
        if not rows:
            return None
        item, state = rows[which % len(rows)]
        owner = self.steps.row("SELECT user_id FROM items WHERE id = :p0", item)[0]
        return next(user for user in self.users if user.user_id == owner), item, state

    def fetches(self) -> set[UUID]:
        """Rows that are not items of a user, but fetches for one."""
        with self.database.transaction() as session:
            return set(session.scalars(text("SELECT id FROM items WHERE fetch_again_of IS NOT NULL")))

    def states(self) -> dict[UUID, State]:
        query = "SELECT items.id, items.status, processing_status FROM items JOIN media ON media.id = media_id"
        with self.database.transaction() as session:
            return {row.id: State(row.status, row.processing_status) for row in session.execute(text(query))}

    def everything(self) -> list[Any]:
        with self.database.transaction() as session:
            texts = ("media", "media_versions", "fragments")
            tables = ("items", *texts, "library_media", "media_aliases", "extraction_attempts")
            return [session.execute(text(f"SELECT * FROM {name} ORDER BY 1, 2")).all() for name in tables]


def test_any_sequence_of_events_keeps_the_invariants(database: Database, connection: Connection) -> None:
    assert SUCCEEDED in {after for _, after in MOVES}
    machine = type("Machine", (Lifecycle,), {"database": database, "connection": connection})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=12, stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
