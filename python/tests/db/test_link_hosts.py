"""The host of a link is the same in every queue."""

import pytest
from sqlalchemy import literal_column, select, text

from nexus.db.session import Database
from nexus.services.lifecycle.claims import CHOOSE
from nexus.services.link_hosts import host_of_column
from nexus.services.pictures.queue import HOST_OF_URL


@pytest.mark.parametrize(
    ("link", "host"),
    [
        ("https://Example.org/a?b#c", "example.org"),
        ("http://user:secret@example.org:8080/a", "example.org:8080"),
        ("https://example.org?q=a@b", "example.org"),
        (" HTTPS:\\\\example.org\\a", "example.org"),
        ("mailto:a@example.org", None),
    ],
)
def test_host_of(database: Database, link: str, host: str | None) -> None:
    given = text("(SELECT CAST(:link AS text) AS link) AS given").bindparams(link=link)
    with database.transaction() as session:
        found = session.scalar(select(literal_column(host_of_column("link"))).select_from(given))
    assert found == host


def test_both_queues_use_it() -> None:
    assert host_of_column("url") == HOST_OF_URL
    assert host_of_column("requested_url") in CHOOSE
