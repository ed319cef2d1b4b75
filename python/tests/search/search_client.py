"""Searches as a server does, without starting one."""

from nexus.db.session import Database
from nexus.services.library.filters import Filters
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import Results, SearchRequest, search
from nexus.services.users import CurrentUser, ensure_user
from tests.api.saving import ALICE


def search_for(database: Database, indexes: Indexes, typed: str) -> Results:
    with database.transaction() as session:
        user = CurrentUser(ALICE, ensure_user(session, ALICE), is_operator=False)
        return search(session, user, indexes, SearchRequest(typed, Filters()), limit=5, cursor=None)
