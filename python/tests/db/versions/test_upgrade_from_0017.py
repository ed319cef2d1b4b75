"""A library from before texts had versions is upgraded in place: everything a user reads is as it was.

`library_0017.sql` is a dump of a library that the code of that schema filled, with pages that it read itself;
`library_0017.json` has the names of its items, and what its server answered to both users.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg
import pytest

from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.services.search.index_process import index_here
from nexus.services.users import CurrentUser
from tests.api.saving import as_user
from tests.conftest import running_app, settings_for
from tests.lifecycle_steps import LONG, LifecycleSteps, article
from tests.processes import TRUSTS_NOBODY

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "library_0017.json").read_text())
# Tables that later migrations give another meaning, or that only workers read.
NOT_COMPARED = {"alembic_version", "media_images", "search_passages", "search_waiting", "workers"}
BROWSED = "https://wiki.example/page"


@pytest.fixture
def old_library(postgres: EmbeddedServer, empty_database: str) -> Iterator[psycopg.Connection]:
    with postgres.connect(dbname=empty_database) as db:
        db.execute((HERE / "library_0017.sql").read_text().encode())
        db.execute("SET search_path TO public")
        db.commit()
        yield db


@dataclass(frozen=True)
class UpgradedLibrary:
    database: Database
    db: psycopg.Connection
    columns: dict[str, list[str]]  # of each table, before
    rows: dict[str, list[str]]


@pytest.fixture
def upgraded(
    postgres: EmbeddedServer, empty_database: str, old_library: psycopg.Connection
) -> Iterator[UpgradedLibrary]:
    columns = columns_of(old_library)
    rows = rows_of(old_library, columns)
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine)
        yield UpgradedLibrary(database, old_library, columns, rows)


def columns_of(db: psycopg.Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    query = """
        SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables
        USING (table_schema, table_name) WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
        ORDER BY table_name, ordinal_position
    """
    for table, column in db.execute(query).fetchall():
        if table not in NOT_COMPARED:
            found.setdefault(table, []).append(column)
    db.commit()
    return found


def rows_of(db: psycopg.Connection, columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """Each row as text, so that rows of any types can be sorted."""
    found = {
        table: sorted(row[0] for row in db.execute(f"SELECT CAST(ROW({', '.join(names)}) AS text) FROM {table}"))
        for table, names in columns.items()
    }
    db.commit()
    return found


def item(name: str) -> tuple[UUID, UUID]:
    owner, item_id = RECORDED["items"][name]
    return UUID(owner), UUID(item_id)


def only_old_keys(new: Any, old: Any) -> Any:
    """Responses without the keys that were added since."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: only_old_keys(new[key], old[key]) if key in new else None for key in old}
    if isinstance(old, list) and isinstance(new, list) and len(new) == len(old):
        return [only_old_keys(*pair) for pair in zip(new, old, strict=True)]
    return new


def found_by(answer: dict[str, Any]) -> set[str]:
    """The ids alone: searches have another order and other snippets since then, and find other forms of a word."""
    return {hit["entry"]["media_id"] for hit in answer["hits"]}


def test_no_row_is_lost_or_changed(upgraded: UpgradedLibrary) -> None:
    """Also `updated_at` is unchanged, so no client fetches its library again."""
    assert rows_of(upgraded.db, upgraded.columns) == upgraded.rows


def test_every_user_reads_what_they_read(
    postgres: EmbeddedServer, empty_database: str, upgraded: UpgradedLibrary, tmp_path: Path
) -> None:
    settings = settings_for(postgres, empty_database, data_dir=tmp_path)
    assert index_here(upgraded.database, tmp_path)
    with (
        running_app(settings, upgraded.database) as url,
        httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as client,
    ):
        for user, answers in RECORDED["seen"].items():
            for path, (status, body) in answers.items():
                response = client.get(path, headers=as_user(UUID(user)))
                assert response.status_code == status, path
                if path.startswith("/api/search"):
                    assert found_by(response.json()) >= found_by(body), path
                elif body is not None:
                    assert only_old_keys(response.json(), body) == body, path


def test_every_text_is_version_one(upgraded: UpgradedLibrary) -> None:
    query = """
        SELECT media.kind, origin, extractor, count(*) FROM media JOIN media_versions ON media_id = media.id
        WHERE version = 1 AND current_version = 1 AND media_versions.word_count IS NOT DISTINCT FROM media.word_count
          AND media_versions.title IS NOT DISTINCT FROM media.title GROUP BY 1, 2, 3 ORDER BY 1, 2
    """
    assert upgraded.db.execute(query).fetchall() == [
        ("pasted_text", "pasted", None, 2),
        ("podcast_episode", "fetched", None, 1),
        ("podcast_episode", "transcribed", None, 1),
        ("web_article", "fetched", None, 6),
        ("web_article", "rendered", None, 1),
    ]
    without = "SELECT DISTINCT processing_status FROM media WHERE current_version IS NULL ORDER BY 1"
    assert upgraded.db.execute(without).fetchall() == [("extracting",), ("failed",), ("pending",)]
    counts = "SELECT (SELECT count(*) FROM media_versions), (SELECT count(*) FROM media WHERE current_version = 1)"
    assert upgraded.db.execute(counts).fetchone() == (11, 11)
    upgraded.db.commit()


def test_items_are_processed_after_the_upgrade(upgraded: UpgradedLibrary) -> None:
    """Waiting items are read, fetches under way end, and earlier texts get a second version."""
    steps = LifecycleSteps(upgraded.database, upgraded.db)
    steps.expire_lease(item("processing")[1])
    assert steps.sweep() == 1
    steps.make_due()
    pages = {BROWSED: LONG * 8, "https://queued.example/": LONG, "https://processing.example/": LONG}
    results = {claim.url: steps.succeed(claim, article(claim.url, pages[claim.url])) for claim in steps.claim(limit=10)}
    assert list(results.values()).count("won") == 2
    assert (results[BROWSED], steps.text_of(item("rendered")[1])) == ("new_version", LONG * 8)
    for name in ("queued", "processing"):
        assert steps.state(item(name)[1]) == ("succeeded", "ready_for_reading")
    user_id, waiting = item("waiting")
    steps.fetch_again(reader(steps, user_id), steps.media_of(waiting))
    assert steps.succeed(steps.claim_one(), article("https://short.example/", LONG)) == "new_version"
    assert (steps.state(waiting)[0], steps.text_of(waiting)) == ("succeeded", LONG)
    assert steps.text_of(item("kept")[1]).startswith("Forty-seven characters"), "it is private"


def test_text_that_gave_up_its_url_is_fetched_again(upgraded: UpgradedLibrary) -> None:
    """A state of older libraries only: a short text that somebody read while a better one took its URL."""
    steps = LifecycleSteps(upgraded.database, upgraded.db)
    user_id, once = item("once enough")
    steps.make_due()
    media_id = steps.media_of(once)
    steps.fetch_again(reader(steps, user_id), media_id)
    claim = next(claim for claim in steps.claim(limit=10) if claim.url == "https://moved.example/a")
    assert steps.succeed(claim, article("https://moved.example/a", LONG * 5)) == "new_version"
    assert (steps.media_of(once), steps.text_of(once)) == (media_id, LONG * 5)


def reader(steps: LifecycleSteps, user_id: UUID) -> CurrentUser:
    library = steps.row("SELECT id FROM libraries WHERE owner_user_id = :p0 AND is_default", user_id)[0]
    return CurrentUser(user_id, library, is_operator=False)
