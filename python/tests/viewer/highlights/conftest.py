from collections.abc import Iterator
from uuid import UUID

import httpx2
import pytest

from tests.processes import ServerProcess
from tests.viewer.highlights.marked_pages import user_client


@pytest.fixture
def api(server: ServerProcess, user: UUID) -> Iterator[httpx2.Client]:
    with user_client(server, user) as client:
        yield client
