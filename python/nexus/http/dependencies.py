"""What routes get of the application: its settings, a transaction, the store and the search indexes."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from nexus.config import Settings
from nexus.db.session import Database
from nexus.services.search.indexes import Indexes
from nexus.store import BlobStore


# Those that wait for nothing are coroutines: for each other one the framework asks a thread, which takes 0.1 ms of
# processor time, in every request.
async def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def get_session(request: Request) -> Iterator[Session]:
    database: Database = request.app.state.database
    with database.transaction() as session:
        yield session


async def get_store(request: Request) -> BlobStore:
    store: BlobStore = request.app.state.store
    return store


async def get_indexes(request: Request) -> Indexes:
    indexes: Indexes = request.app.state.indexes
    return indexes


SettingsDep = Annotated[Settings, Depends(get_settings)]
# scope="function": commit before the response is sent, so that the client is told of what is stored.
SessionDep = Annotated[Session, Depends(get_session, scope="function")]
StoreDep = Annotated[BlobStore, Depends(get_store)]
IndexesDep = Annotated[Indexes, Depends(get_indexes)]
