"""PostgreSQL refuses illegal states: each illegal write is tried, and the expected constraint refuses it."""

from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection

from tests import factories as make
from tests.api.positions.illegal_writes import REFUSED_POSITIONS
from tests.captures.illegal_writes import REFUSED_CAPTURES
from tests.exports.illegal_writes import REFUSED_EXPORTS
from tests.highlights.illegal_writes import REFUSED_HIGHLIGHTS
from tests.imports.illegal_writes import REFUSED_IMPORTS
from tests.organise.illegal_writes import REFUSED_ENTRIES
from tests.originals.illegal_writes import REFUSED_ORIGINALS
from tests.pictures.illegal_writes import REFUSED_PICTURES
from tests.store.illegal_writes import REFUSED_BY_STORE

URL = "https://example.org/a"
FAILED = {"processing_status": "failed", "failed_at": "now", "failure_stage": "extract", "last_error_code": "timeout"}
READY = {"processing_status": "ready_for_reading", "processing_completed_at": "now", "current_version": 1}
CLAIM = {"claimed_by": uuid4(), "claimed_at": "now", "lease_until": "now"}

Illegal = Callable[[Connection], object]


def two_default_libraries(db: Connection) -> None:
    owner = make.user(db)
    make.library(db, owner, is_default=True)
    make.library(db, owner, is_default=True)


def same_url_twice(db: Connection) -> None:
    make.ready_media(db, canonical_url=URL)
    make.ready_media(db, canonical_url=URL)


def same_very_long_url_twice(db: Connection) -> None:
    long = URL + "?" + "".join(uuid4().hex for _ in range(200))  # incompressible and larger than a B-tree row
    make.ready_media(db, canonical_url=long)
    make.ready_media(db, canonical_url=long)


def another_users_paste_in_my_library(db: Connection) -> None:
    theirs = make.paste(db, make.user(db))
    mine = make.library(db, make.user(db))
    db.execute("INSERT INTO library_media (library_id, media_id) VALUES (%s, %s)", [mine, theirs])


def moving_a_paste_into_another_library(db: Connection) -> None:
    me, other = make.user(db), make.user(db)
    db.execute(
        "INSERT INTO library_media (library_id, media_id) VALUES (%s, %s)", [make.library(db, me), make.paste(db, me)]
    )
    db.execute("UPDATE library_media SET library_id = %s", [make.library(db, other)])


def same_attempt_twice(db: Connection) -> None:
    saved = make.item(db)
    make.attempt(db, saved)
    make.attempt(db, saved)


def changed_receipt(db: Connection) -> None:
    make.attempt(db, make.item(db))
    db.execute("UPDATE extraction_attempts SET duration_ms = 1")


def changed_fragment(db: Connection) -> None:
    make.ready_media(db)
    db.execute("UPDATE fragments SET canonical_text = 'other'")


def same_fragment_twice(db: Connection) -> None:
    media_id = make.ready_media(db)
    make.fragment(db, media_id)


def changed_version(db: Connection) -> None:
    make.ready_media(db)
    db.execute("UPDATE media_versions SET word_count = 1")


def same_version_twice(db: Connection) -> None:
    make.version(db, make.ready_media(db))


def version(**values: object) -> Illegal:
    return lambda db: make.version(db, make.media(db), **values)


def current_version_that_is_not_there(db: Connection) -> None:
    make.ready_media(db)
    db.execute("UPDATE media SET current_version = 2")
    db.execute("SET CONSTRAINTS ALL IMMEDIATE")


def same_episode_twice(db: Connection) -> None:
    show = make.podcast(db)
    make.episode(db, show)
    make.episode(db, show)


def two_episodes_of_one_media(db: Connection) -> None:
    show, media_id = make.podcast(db), make.media(db, kind="podcast_episode")
    make.episode(db, show, media_id=media_id)
    make.episode(db, show, guid="two", media_id=media_id)


def same_feed_twice(db: Connection) -> None:
    make.podcast(db)
    make.podcast(db)


def same_token_twice(db: Connection) -> None:
    owner = make.user(db)
    for _ in range(2):
        make.insert(db, "api_tokens", id=uuid4(), user_id=owner, secret_sha256=b"x" * 32)


def session_row(**values: object) -> Illegal:
    def insert(db: Connection) -> None:
        owner, key = make.user(db), uuid4()
        make.insert(db, "api_tokens", id=key, user_id=owner, secret_sha256=b"x" * 32)
        base = {"id": uuid4(), "user_id": owner, "token_id": key, "secret_sha256": b"y" * 32, "expires_at": "infinity"}
        make.insert(db, "sessions", **(base | values))

    return insert


def same_session_twice(db: Connection) -> None:
    for secret in (b"1" * 32, b"2" * 32):
        owner, key = make.user(db), uuid4()
        make.insert(db, "api_tokens", id=key, user_id=owner, secret_sha256=secret)
        make.insert(
            db, "sessions", id=uuid4(), user_id=owner, token_id=key, secret_sha256=b"y" * 32, expires_at="infinity"
        )


def session_of_another_users_token(db: Connection) -> None:
    session_row(user_id=make.user(db))(db)


def same_token_id_for_two_users(db: Connection) -> None:
    key, owner = uuid4(), make.user(db)
    db.execute("ALTER TABLE api_tokens DROP CONSTRAINT pk_api_tokens")  # which refuses the same id anyway
    for secret in (b"1" * 32, b"2" * 32):
        make.insert(db, "api_tokens", id=key, user_id=owner, secret_sha256=secret)


def media_with_items_deleted(db: Connection) -> None:
    make.item(db)
    db.execute("DELETE FROM media")


def unready_article(db: Connection) -> None:
    make.ready_media(db)
    db.execute("UPDATE media SET processing_status = 'pending'")


def item_moved(before: str, after: str, **values: object) -> Illegal:
    def move(db: Connection) -> None:
        make.item(db, status=before, **values)
        db.execute("UPDATE items SET status = %s, final_text_source = NULL", [after])

    return move


def alias_of_itself(db: Connection) -> None:
    media_id = make.media(db)
    make.insert(db, "media_aliases", alias_id=media_id, media_id=media_id, user_id=make.user(db))


def paste_of(length: int) -> Illegal:
    return lambda db: make.insert(db, "item_pastes", item_id=make.item(db), user_pasted_text="x" * length)


def token(**values: object) -> Illegal:
    base = {"id": uuid4(), "secret_sha256": b"x" * 32}
    return lambda db: make.insert(db, "api_tokens", **(base | {"user_id": make.user(db)} | values))


def media(**values: object) -> Illegal:
    return lambda db: make.media(db, **values)


def item(**values: object) -> Illegal:
    return lambda db: make.item(db, **values)


def attempt(**values: object) -> Illegal:
    return lambda db: make.attempt(db, make.item(db), **values)


def fragment(**values: object) -> Illegal:
    def insert(db: Connection) -> None:
        media_id = make.media(db)
        make.version(db, media_id)
        make.fragment(db, media_id, **values)

    return insert


def same_alias_twice(db: Connection) -> None:
    show = make.podcast(db)
    for guid in ("one", "two"):
        make.episode_alias(db, show, make.episode(db, show, guid=guid))


def alias_with_another_hash(db: Connection) -> None:
    show = make.podcast(db)
    make.episode_alias(db, show, make.episode(db, show), alias_sha256=b"x" * 32)


def fetch_of_itself(db: Connection) -> None:
    saved = make.item(db)
    db.execute("UPDATE items SET fetch_again_of = id WHERE id = %s", [saved])


def two_fetches_for_one_item(db: Connection) -> None:
    saved = make.item(db)
    make.item(db, fetch_again_of=saved)
    make.item(db, fetch_again_of=saved)


REFUSED: list[tuple[str, Illegal]] = [
    ("uq_libraries_default", two_default_libraries),
    ("ck_libraries_name", lambda db: make.library(db, make.user(db), name="  ")),
    ("ck_libraries_name", lambda db: make.library(db, make.user(db), name="x" * 101)),
    ("uq_api_tokens_secret_sha256", same_token_twice),
    ("ck_api_tokens_hash", token(secret_sha256=b"plain")),
    ("ck_api_tokens_label", token(label="x" * 101)),
    ("uq_api_tokens_id_user_id", same_token_id_for_two_users),
    ("uq_sessions_secret_sha256", same_session_twice),
    ("ck_sessions_hash", session_row(secret_sha256=b"plain")),
    ("ck_sessions_expiry", session_row(expires_at="2020-01-01")),
    ("fk_sessions_token_id", session_of_another_users_token),
    ("uq_media_kind_canonical_url", same_url_twice),
    ("uq_media_kind_canonical_url", same_very_long_url_twice),
    ("ck_media_kind", media(kind="video")),
    ("ck_media_status", media(processing_status="done")),
    ("ck_media_stage", media(**FAILED | {"failure_stage": "somewhere"})),
    ("ck_media_counts", media(processing_attempts=-1)),
    ("ck_media_counts", media(word_count=-1)),
    ("ck_media_ready_is_complete", media(processing_status="ready_for_reading", current_version=1)),
    ("ck_media_ready_is_complete", media(**READY, last_error_code="timeout")),
    ("ck_media_article_url_when_ready", media(canonical_url=URL)),
    ("ck_media_article_url_when_ready", media(canonical_url=URL, processing_status="extracting")),
    ("ck_media_article_url_when_ready", media(canonical_url=URL, **FAILED)),
    ("ck_media_pasted_has_no_url", lambda db: make.media(
        db, kind="pasted_text", owner_user_id=make.user(db), canonical_url=URL, **READY)),
    ("ck_media_pasted_is_private", media(kind="pasted_text")),
    ("ck_media_pasted_is_private", lambda db: make.media(db, kind="podcast_episode", owner_user_id=make.user(db))),
    ("ck_media_private_has_no_url", lambda db: make.ready_media(db, owner_user_id=make.user(db), canonical_url=URL)),
    ("ck_media_failed_says_why", media(**FAILED | {"failed_at": None})),
    ("ck_media_failed_says_why", media(**FAILED | {"failure_stage": None})),
    ("ck_media_failed_says_why", media(**FAILED | {"last_error_code": None})),
    ("media_ready_is_final", unready_article),
    ("fk_items_media_id", media_with_items_deleted),
    ("ck_media_aliases_other", alias_of_itself),
    ("library_media_pastes_are_private", another_users_paste_in_my_library),
    ("library_media_pastes_are_private", moving_a_paste_into_another_library),
    ("fragments_never_change", changed_fragment),
    ("uq_fragments_media_id_version_idx", same_fragment_twice),
    ("fk_fragments_media_id", lambda db: make.fragment(db, make.ready_media(db), version=2)),
    ("media_versions_never_change", changed_version),
    ("pk_media_versions", same_version_twice),
    ("ck_media_versions_number", version(version=0)),
    ("ck_media_versions_origin", version(origin="dreamt")),
    ("ck_media_versions_counts", version(word_count=-1)),
    ("media_versions_from_people_are_private", version(origin="pasted")),
    ("media_versions_from_people_are_private", version(origin="captured")),
    ("media_versions_from_people_are_private", version(origin="uploaded")),
    ("media_versions_from_people_are_private", version(origin="imported")),
    ("ck_media_ready_has_version", media(**READY | {"current_version": None})),
    ("fk_media_current_version", current_version_that_is_not_there),
    ("ck_fragments_idx", fragment(idx=-1)),
    ("ck_fragments_times", fragment(start_ms=1)),
    ("ck_fragments_times", fragment(start_ms=2, end_ms=1)),
    ("ck_fragments_times", fragment(start_ms=-1, end_ms=1)),
    ("ck_items_status", item(status="done")),
    ("ck_items_source", item(source_type="mail")),
    ("ck_items_text_source", item(status="succeeded", final_text_source="guess")),
    ("ck_items_url", item(requested_url="x" * 4097)),
    ("ck_items_url_when_from_url", item(requested_url=None)),
    ("ck_items_attempts", item(attempts=-1)),
    ("ck_items_losses", item(losses=-1)),
    ("ck_items_priority", item(priority=2)),
    ("ck_items_attempts", item(max_attempts=0)),
    ("ck_items_succeeded_names_source", item(status="succeeded")),
    ("ck_items_succeeded_names_source", item(final_text_source="user_pasted_text")),
    ("ck_items_processing_is_claimed", item(status="processing")),
    ("ck_items_processing_is_claimed", item(status="processing", **CLAIM | {"lease_until": None})),
    ("ck_items_processing_is_claimed", item(**CLAIM)),
    ("ck_items_url_key", item(url_key=b"short")),
    ("ck_items_fetch_again_of_other", fetch_of_itself),
    ("uq_items_fetch_again_of", two_fetches_for_one_item),
    ("ck_items_save_key", item(save_key=b"short")),
    ("uq_items_save_key", lambda db: [make.item(db, user_id=u, save_key=b"k" * 32) for u in [make.user(db)] * 2]),
    ("items_pastes_are_private", lambda db: make.item(db, media_id=make.paste(db, make.user(db)))),
    ("items_status_moves", item_moved("queued", "needs_user_text")),
    ("items_status_moves", item_moved("needs_user_text", "failed")),
    ("items_status_moves", item_moved("succeeded", "queued", final_text_source="extracted_from_url")),
    ("ck_item_pastes_length", paste_of(0)),
    ("ck_item_pastes_length", paste_of(200_001)),
    ("uq_extraction_attempts_item_id_attempt_no", same_attempt_twice),
    ("extraction_attempts_never_change", changed_receipt),
    ("ck_extraction_attempts_no", attempt(attempt_no=0)),
    ("ck_extraction_attempts_rung", attempt(rung="guess")),
    ("ck_extraction_attempts_result", attempt(result="maybe")),
    ("ck_extraction_attempts_error", attempt(result="error")),
    ("ck_extraction_attempts_error", attempt(error_code="timeout")),
    ("ck_extraction_attempts_numbers", attempt(duration_ms=-1)),
    ("ck_extraction_attempts_numbers", attempt(content_length=-1)),
    ("ck_extraction_attempts_http", attempt(http_status=42)),
    ("ck_search_forgotten_is_only", lambda db: make.insert(db, "search_forgotten", is_only=False, transaction=1)),
    ("ck_workers_engine", lambda db: make.insert(
        db, "workers", id=uuid4(), engine="steam", host="here", can_render=False)),
    ("uq_podcasts_feed_url", same_feed_twice),
    ("ck_podcasts_failures", lambda db: make.podcast(db, consecutive_failures=-1)),
    ("uq_episodes_podcast_guid", same_episode_twice),
    ("uq_episodes_media_id", two_episodes_of_one_media),
    ("ck_episodes_guid_source", lambda db: make.episode(db, make.podcast(db), guid_source="luck")),
    ("ck_episodes_duration", lambda db: make.episode(db, make.podcast(db), duration_ms=-1)),
    ("ck_episodes_chapters", lambda db: make.episode(db, make.podcast(db), chapters="{}")),
    ("ck_episodes_transcript_source", lambda db: make.episode(db, make.podcast(db), transcript_source="a friend")),
    ("pk_episode_aliases", same_alias_twice),
    ("ck_episode_aliases_hash", alias_with_another_hash),
    *REFUSED_ORIGINALS,
    *REFUSED_BY_STORE,
    *REFUSED_PICTURES,
    *REFUSED_POSITIONS,
    *REFUSED_ENTRIES,
    *REFUSED_HIGHLIGHTS,
    *REFUSED_IMPORTS,
    *REFUSED_EXPORTS,
    *REFUSED_CAPTURES,
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "illegal"), REFUSED, ids=[f"{i}-{name}" for i, (name, _) in enumerate(REFUSED)])
def test_refuses(connection: Connection, constraint: str, illegal: Illegal) -> None:
    with pytest.raises(psycopg.errors.IntegrityError) as refusal:
        illegal(connection)
    assert refusal.value.diag.constraint_name == constraint


def test_every_rule_of_the_schema_is_tried(connection: Connection) -> None:
    """A new constraint or trigger without an illegal write in the list above fails here.

    Triggers named touch, keep…, log…, items_ring… or shelf_rings… refuse nothing.
    """
    rules = connection.execute("""
        SELECT conname FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'u') AND conrelid <> 0
        UNION SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
        WHERE relnamespace = 'public'::regnamespace AND indisunique AND NOT indisprimary
        UNION SELECT tgname FROM pg_trigger
        WHERE NOT tgisinternal AND tgname NOT SIMILAR TO 'touch|keep%|log%|items_ring%|shelf_rings%'
    """).fetchall()
    tried_below = {"media_versions_have_fragment", "media_versions_keep_fragment"}
    assert {name for (name,) in rules} - {name for name, _ in REFUSED} == tried_below


def test_version_needs_a_fragment_at_commit(connection: Connection) -> None:
    make.version(connection, make.media(connection, **READY))
    with pytest.raises(psycopg.errors.CheckViolation) as refusal:
        connection.commit()
    assert refusal.value.diag.constraint_name == "media_versions_have_fragment"


def test_version_keeps_its_last_fragment(connection: Connection) -> None:
    make.ready_media(connection)
    connection.commit()
    connection.execute("DELETE FROM fragments")
    with pytest.raises(psycopg.errors.CheckViolation) as refusal:
        connection.commit()
    assert refusal.value.diag.constraint_name == "media_versions_keep_fragment"


def test_one_transaction_may_write_in_any_order_and_delete_a_media_whole(connection: Connection) -> None:
    media_id = make.media(connection)
    connection.commit()
    connection.execute(
        "UPDATE media SET processing_status = 'ready_for_reading', processing_completed_at = now(), canonical_url = %s,"
        " current_version = 1",
        [URL],
    )
    make.version(connection, media_id)
    make.fragment(connection, media_id)
    connection.commit()
    connection.execute("DELETE FROM media")
    connection.commit()
    gone = "SELECT (SELECT count(*) FROM fragments), (SELECT count(*) FROM media_versions)"
    assert connection.execute(gone).fetchone() == (0, 0)
