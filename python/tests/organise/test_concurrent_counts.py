"""Counts are right while two sessions change the library at once, and while both fold the logs of differences."""

from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.api.saving import ALICE, library_of, save
from tests.api.test_library_api import library
from tests.lifecycle_steps import LifecycleSteps
from tests.organise.test_bulk_api import bulk
from tests.organise.test_tags_api import tags

# As workers do, which do not wait for the library.
ARCHIVE = text("UPDATE library_media SET archived_at = now(), starred_at = now() WHERE media_id = :id")
TAKE_TAG = text("UPDATE entry_tags SET is_set = false WHERE media_id = :id")
FOLD = text("SELECT fold_shelf_counts(:library), fold_tag_counts(ARRAY(SELECT id FROM tags))")


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> list[UUID]:
    found = [steps.media_of(save(client, pasted_text=f"Zebra {number}")) for number in range(4)]
    bulk(client, media_ids=[str(each) for each in found], add_tags=["a"])
    return found


def counted(client: httpx2.Client) -> tuple[int, int, int, tuple[int, int]]:
    counts = library(client)["counts"]
    return counts["all"], counts["inbox"], counts["starred"], tags(client)["a"]


def test_two_sessions_at_once(client: httpx2.Client, steps: LifecycleSteps, media: list[UUID]) -> None:
    fold = {"library": library_of(client, ALICE)}

    def change(session: Session, archived: UUID, untagged: UUID) -> None:
        session.execute(ARCHIVE, {"id": archived})
        session.execute(TAKE_TAG, {"id": untagged})

    assert counted(client) == (4, 4, 0, (4, 4))
    with steps.session() as first:
        change(first, media[0], media[1])
        with steps.session() as second:
            change(second, media[2], media[3])
            second.execute(FOLD, fold)
            assert counted(client) == (4, 4, 0, (4, 4)), "neither is done"
            first.execute(FOLD, fold)  # passes over what the other one holds
        assert counted(client) == (4, 3, 1, (3, 2)), "one is done"
        first.execute(FOLD, fold)
    assert counted(client) == (4, 2, 2, (2, 0))
    with steps.session() as last:
        last.execute(FOLD, fold)
    assert counted(client) == (4, 2, 2, (2, 0))
    assert len(library(client)["entries"]) == 2
