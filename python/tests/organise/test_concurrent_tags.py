"""Tags are joined and deleted while workers join entries and while entries are removed: none of it fails."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services import lifecycle
from nexus.services.library.tags import change_tag, delete_tag
from nexus.services.users import CurrentUser
from tests.api.saving import ALICE, LINK, as_user, library_of, save
from tests.blocked_statements import wait_until_blocked
from tests.db.invariants import VIOLATIONS
from tests.lifecycle_steps import LifecycleSteps, article
from tests.organise.test_entry_state_api import change, entry
from tests.organise.test_tags_api import rename, tag_id, tags

Action = Callable[[Session, CurrentUser, UUID], object]


def join_with_a(session: Session, user: CurrentUser, tag: UUID) -> None:
    change_tag(session, user, tag, name="a", color=None, with_color=False)


def delete(client: httpx2.Client, tag: str) -> httpx2.Response:
    return client.delete(f"/api/tags/{tag_id(client, tag)}", headers=as_user(ALICE))


def join(client: httpx2.Client, tag: str) -> httpx2.Response:
    return rename(client, tag, name="a")


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def alice(client: httpx2.Client) -> CurrentUser:
    return CurrentUser(ALICE, library_of(client, ALICE), is_operator=False)


@pytest.mark.parametrize(("act", "left"), [(delete_tag, ["c"]), (join_with_a, ["a", "c"])])
def test_worker_joins_entries(
    client: httpx2.Client, steps: LifecycleSteps, alice: CurrentUser, threads: ThreadPoolExecutor,
    act: Action, left: list[str],
) -> None:  # fmt: skip
    """The worker waits for the tag before it locks an entry, so that it holds none that the other needs."""
    kept = steps.succeed_item(save(client), "Words", canonical_url=LINK)
    waiting = steps.media_of(save(client))
    change(client, kept, add_tags=["b"])
    change(client, kept, remove_tags=["b"])
    change(client, waiting, tags=["b", "c"])
    client.post("/api/tags", json={"name": "a"}, headers=as_user(ALICE))
    claim, tag = steps.claim_one(), UUID(tag_id(client, "b"))
    with steps.session() as session:
        act(session, alice, tag)
        settling = threads.submit(steps.succeed, claim, article(LINK, "Words"), min_chars=0)
        wait_until_blocked(steps.database)
    assert settling.result() == "merged"
    assert entry(client, kept)["tags"] == left
    assert {name: counts for name, counts in tags(client).items() if counts != (0, 0)} == dict.fromkeys(left, (1, 1))


@pytest.mark.parametrize("act", [join, delete])
def test_entry_is_removed(
    client: httpx2.Client, steps: LifecycleSteps, alice: CurrentUser, threads: ThreadPoolExecutor,
    act: Callable[[httpx2.Client, str], httpx2.Response],
) -> None:  # fmt: skip
    gone, stays = (steps.media_of(save(client, pasted_text=f"Zebra {n}")) for n in range(2))
    change(client, gone, tags=["a", "b", "c"])
    change(client, stays, tags=["a", "b"])
    change(client, stays, tags=["b"])
    with steps.session() as session:
        lifecycle.remove_media(session, alice, gone)
        answer = threads.submit(act, client, "b")
        wait_until_blocked(steps.database)
    assert answer.result().status_code in (200, 204), answer.result().text
    left = ["a"] if act is join else []
    assert entry(client, stays)["tags"] == left
    assert tags(client) == {"a": (len(left), len(left)), "c": (0, 0)}


def test_entry_is_archived(
    client: httpx2.Client, steps: LifecycleSteps, alice: CurrentUser, threads: ThreadPoolExecutor
) -> None:
    """Archived without a lock on the library, as a worker that merges entries does: the tag follows its entry."""
    media = steps.media_of(save(client, pasted_text="Zebra"))
    client.post("/api/tags", json={"name": "a"}, headers=as_user(ALICE))
    with steps.session() as session:
        session.execute(text("UPDATE library_media SET archived_at = now() WHERE media_id = :id"), {"id": media})
        tagging = threads.submit(change, client, media, tags=["a"])
        wait_until_blocked(steps.database)
    assert tagging.result()["tags"] == ["a"]
    assert tags(client) == {"a": (1, 0)}
    misplaced = VIOLATIONS["a tag that is not where its entry is"]
    assert steps.row(f"SELECT count(*) FROM ({misplaced}) AS misplaced") == (0,)
