"""Whatever is saved, changed, removed, merged, killed and rebuilt, in whatever order: the search finds what is in
the library and has the word, and nothing else; other users find nothing of it."""

import gc
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from nexus.db.session import Database
from nexus.search.index import Batch
from nexus.services import lifecycle
from nexus.services.library.changes import EntryUpdate, change_entry
from nexus.services.library.entry_tags import TagChanges
from nexus.services.library.filters import Filters
from nexus.services.saving import SaveContext, save_item
from nexus.services.search.index_folder import IndexFolder
from nexus.services.search.index_process import open_folder
from nexus.services.search.indexer import Indexer
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import SearchRequest, search
from nexus.services.users import CurrentUser
from nexus.web.public_address import AllowList
from tests.empty_tables import empty_tables
from tests.lifecycle_steps import LifecycleSteps, article
from tests.search.damage import KilledError

WORDS = ("zebra", "unicorn", "otter")
CONTEXT = SaveContext(AllowList(), 1, "test")
PAGES = {word: f"https://example.org/{word}" for word in WORDS}


class IndexModel:
    """Two users, their libraries as they should be, and the index of one machine."""

    def __init__(self, steps: LifecycleSteps, folder: Path) -> None:
        self.steps = steps
        self.database: Database = steps.database
        self.data_dir = folder
        self.users = [steps.user(), steps.user()]
        self.there: list[dict[Any, set[str]]] = [{}, {}]  # of each user: the words of each media
        self.items: list[dict[Any, Any]] = [{}, {}]
        self.indexer = self._new_indexer()

    def _new_indexer(self) -> Indexer:
        return Indexer(self.database, open_folder(self.database, self.data_dir))

    def paste(self, who: int, word: str) -> None:
        user = self.users[who]
        with self.database.transaction() as session:
            saved = save_item(session, user, CONTEXT, url=None, pasted=f"About {word}", prefer_pasted=True)
        media_id = self.steps.media_of(saved.item_id)
        self.there[who][media_id] = {word}
        self.items[who][media_id] = saved.item_id

    def read_page(self, who: int, word: str) -> None:
        """The second user's save of the same page is merged into the first one's."""
        item = self.steps.save(self.users[who], PAGES[word])
        media = self.steps.media_of(item)
        if self.steps.state(item)[0] == "queued":
            with self.database.transaction() as session:
                claim = lifecycle.claim_media(session, media, worker_id=self.steps.worker_id, lease_seconds=30)
            assert claim is not None
            self.steps.succeed(claim, article(PAGES[word], f"A page about {word}", title="Page"), min_chars=0)
        media = self.steps.media_of(item)
        self.there[who][media] = self.there[who].get(media, set()) | {word}
        self.items[who][media] = item

    def remove(self, who: int, number: int) -> None:
        if self.items[who]:
            media_id = sorted(self.items[who])[number % len(self.items[who])]
            self.steps.remove(self.users[who], self.items[who].pop(media_id))
            del self.there[who][media_id]

    def note(self, who: int, number: int, word: str) -> None:
        if self.there[who]:
            media_id = sorted(self.there[who])[number % len(self.there[who])]
            changes = EntryUpdate({"note": f"See {word}"}, TagChanges(add=[f"tags/{word}"]))
            with self.database.transaction() as session:
                change_entry(session, self.users[who], media_id, changes)
            self.there[who][media_id] = self.there[who][media_id] | {word}

    def index(self) -> None:
        self.indexer.catch_up()

    def kill(self, step: int) -> None:
        """Kills indexing at its nth write, before or after it."""
        left = [step]

        def dying(real: Callable[..., Any]) -> Callable[..., Any]:
            def write(*given: Any, **named: Any) -> Any:
                left[0] -= 1
                if left[0] == 0:
                    raise KilledError
                done = real(*given, **named)
                left[0] -= 1
                if left[0] == 0:
                    raise KilledError
                return done

            return write

        writes = [(Batch, "put"), (Batch, "write"), (IndexFolder, "set_reached"), (IndexFolder, "set_build")]
        patches = [patch.object(of, name, dying(getattr(of, name))) for of, name in writes]
        for each in patches:
            each.start()
        try:
            while self.indexer.catch_up():
                pass
        except KilledError:
            pass
        finally:
            for each in patches:
                each.stop()
        self.restart()

    def restart(self) -> None:
        del self.indexer
        gc.collect()  # the engine's lock goes with its writer
        self.indexer = self._new_indexer()

    def rebuild(self, who: int) -> None:
        folder = open_folder(self.database, self.data_dir)
        folder.request_rebuild(self.users[who].default_library_id)

    def forget(self) -> None:
        """Removes the log, as for a machine that was off for long."""
        with self.database.transaction() as session:
            session.execute(text("UPDATE search_changes SET logged_at = now() - interval '8 days'"))
        self.indexer._cleaned_up_at = float("-inf")

    def found(self, user: CurrentUser, q: str) -> set[Any]:
        with self.database.transaction() as session:
            request = SearchRequest(q, Filters())
            results = search(session, user, Indexes(self.data_dir), request, limit=50, cursor=None)
        return {hit.entry.media_id for hit in results.hits}

    def check_not_more(self) -> None:
        """Holds at any moment: a search finds no entries of others, and none that were removed."""
        for user, there in zip(self.users, self.there, strict=True):
            for word in WORDS:
                assert self.found(user, f"{word} ") <= {media for media, words in there.items() if word in words}

    def check(self) -> None:
        while self.indexer.catch_up():
            pass
        for user, there in zip(self.users, self.there, strict=True):
            for word in WORDS:
                assert self.found(user, f"{word} ") == {media for media, words in there.items() if word in words}
                tagged = self.found(user, f"tag:tags/{word} ")
                assert tagged <= set(there)


users, words, numbers = st.integers(0, 1), st.sampled_from(WORDS), st.integers(0, 3)
STEP = st.one_of(
    st.tuples(st.just("paste"), users, words),
    st.tuples(st.just("read_page"), users, words),
    st.tuples(st.just("remove"), users, numbers),
    st.tuples(st.just("note"), users, numbers, words),
    st.tuples(st.just("index")),
    st.tuples(st.just("kill"), st.integers(1, 12)),
    st.tuples(st.just("restart")),
    st.tuples(st.just("rebuild"), users),
    st.tuples(st.just("forget")),
    st.tuples(st.just("check_not_more")),
)
FORGOTTEN_WHILE_BUILDING = [
    ("paste", 0, "zebra"),
    *[("index",)] * 5,  # until it is complete
    ("rebuild", 0),
    ("index",),
    ("note", 0, 0, "otter"),
    ("forget",),
]


def test_search_finds_what_is_there_and_nothing_else(steps: LifecycleSteps) -> None:
    @given(st.lists(STEP, max_size=14))
    @example(FORGOTTEN_WHILE_BUILDING)
    @settings(max_examples=20)
    def check(history: list[tuple[Any, ...]]) -> None:
        with steps.database.engine.begin() as connection:
            empty_tables(connection)
        with tempfile.TemporaryDirectory() as folder:
            model = IndexModel(steps, Path(folder))
            for name, *given_values in history:
                getattr(model, name)(*given_values)
            model.check()
            model.indexer.close()

    check()
