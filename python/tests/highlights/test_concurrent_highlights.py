"""Highlights are changed while their text is removed, merged or read again: no deadlock, and nothing is lost."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import httpx2
import pytest
from psycopg import Connection

from nexus.db.session import Database
from nexus.services.highlights.review import get_review
from nexus.services.library.tags import delete_tag
from nexus.services.lifecycle import remove_media
from nexus.services.users import CurrentUser
from nexus.worker.highlight_carrier import HighlightCarrier
from tests.api.saving import ALICE, as_user, library_of
from tests.blocked_statements import wait_until_blocked
from tests.highlights.marking import TEXT, at, mark, new_version, of_text, post, ready
from tests.lifecycle_steps import LifecycleSteps

WORDS = ["lighthouse", "keeper", "ships", "ledger", "schoolteacher", "vessels", "library", "children"]


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> UUID:
    return ready(client, steps)


def test_one_that_is_changed_while_its_text_is_removed(
    client: httpx2.Client, database: Database, connection: Connection, media: UUID
) -> None:
    made = mark(client, media, "keeper")
    user = CurrentUser(ALICE, library_of(client, ALICE), is_operator=False)
    path = f"/highlights/{made['id']}"
    results: list[int] = []
    ask = threading.Thread(target=lambda: results.append(client.delete(path, headers=as_user(ALICE)).status_code))
    with database.transaction() as session:
        remove_media(session, user, media)
        ask.start()
        wait_until_blocked(database)
    ask.join()
    assert results == [404]
    assert connection.execute("SELECT count(*) FROM highlights").fetchone() == (0,)


def test_made_while_another_version_becomes_current(
    client: httpx2.Client, database: Database, connection: Connection, steps: LifecycleSteps, media: UUID
) -> None:
    """Whichever commits first, the highlight is not left in the old version."""
    results: list[httpx2.Response] = []
    ask = threading.Thread(target=lambda: results.append(post(client, media, **at("keeper"))))
    with database.transaction() as session:
        session.connection().exec_driver_sql(f"SELECT FROM media WHERE id = '{media}' FOR UPDATE")
        ask.start()
        wait_until_blocked(database)
    ask.join()
    new_version(client, steps, f"Before it. {TEXT} And after it.")
    carrier = HighlightCarrier(database)
    while carrier.step():
        pass
    assert [response.status_code for response in results] == [201]
    (found,) = of_text(client, media)
    assert (found["version"], found["state"]) == (2, "attached")


def test_many_at_once(client: httpx2.Client, database: Database, steps: LifecycleSteps, media: UUID) -> None:
    """Each request is answered, whatever the others do."""
    made = [mark(client, media, word, tags=["ships"]) for word in WORDS]
    user = CurrentUser(ALICE, library_of(client, ALICE), is_operator=False)
    (tag,) = client.get("/api/tags", headers=as_user(ALICE)).json()
    with database.transaction() as session:
        session.connection().exec_driver_sql("UPDATE highlights SET created_at = created_at - interval '2 days'")
    new_version(client, steps, f"Before it. {TEXT}")

    def in_transaction(work: Callable[..., object], *arguments: object) -> Callable[[], object]:
        def run() -> None:
            with database.transaction() as session:
                work(session, user, *arguments)

        return run

    def ask(method: str, each: dict[str, Any], body: object = None) -> Callable[[], object]:
        return lambda: client.request(method, f"/highlights/{each['id']}", json=body, headers=as_user(ALICE))

    requests = [ask("PATCH", each, {"tags": ["x"]}) for each in made[:4]] + [ask("DELETE", each) for each in made[4:]]
    requests += [in_transaction(delete_tag, UUID(tag["id"])), in_transaction(get_review)]
    requests += [HighlightCarrier(database).step] * 2
    with ThreadPoolExecutor(len(requests)) as pool:
        done = [each.result() for each in [pool.submit(request) for request in requests]]
    codes = [each.status_code for each in done if isinstance(each, httpx2.Response)]
    assert codes == [200] * 4 + [204] * 4
    assert [each["tags"] for each in of_text(client, media)] == [["x"]] * 4
