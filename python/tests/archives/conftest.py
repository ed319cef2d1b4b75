"""Two servers: one with a library, and another one to restore its archive on."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest

from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.restore import OnBatch, RestoreResources
from nexus.services.archives.writer import write_archive
from nexus.services.users import CurrentUser, ensure_user
from nexus.store import BlobStore, open_store
from nexus.text.process_pool import ProcessPool
from nexus.web.public_address import AllowList
from tests.archives.archive_imports import Imports
from tests.archives.libraries import LibraryMaker, fill_library
from tests.archives.library_view import View, view_of
from tests.archives.whole_restore import RestoreCounts, restore_archive
from tests.conftest import copied_database, settings_for
from tests.empty_tables import empty_tables
from tests.processes import WAIT_SECONDS, plain_url


@dataclass
class Server:
    database: Database
    store: BlobStore
    connection: psycopg.Connection
    pool: ProcessPool

    def user(self, user_id: UUID, *, is_operator: bool = True) -> CurrentUser:
        with self.database.transaction() as session:
            return CurrentUser(user_id, ensure_user(session, user_id), is_operator)

    def maker(self, user: UUID | None = None, seed: int = 1) -> LibraryMaker:
        user = user or uuid4()
        self.connection.execute("INSERT INTO users (id) VALUES (%s)", [user])
        return LibraryMaker(self.connection, self.store, user, Random(seed))

    def archive(self, user_id: UUID, media_ids: Sequence[UUID] | None = None) -> bytes:
        sink = io.BytesIO()
        write_archive(self.database, self.store, self.user(user_id), sink, media_ids=media_ids)
        return sink.getvalue()

    def save_archive(self, user_id: UUID, folder: Path) -> Path:
        path = folder / f"{uuid4()}.zip"
        path.write_bytes(self.archive(user_id))
        return path

    def restore(
        self, path: Path, user: CurrentUser, *, after: int = 0, on_batch: OnBatch | None = None,
        original_bytes: int = 1 << 40, picture_bytes: int = 1 << 40,
    ) -> RestoreCounts:  # fmt: skip
        resources = RestoreResources(self.database, self.store, self.pool, AllowList(), original_bytes, picture_bytes)
        with ArchiveFile(path) as archive:
            return restore_archive(resources, user, archive, after=after, on_batch=on_batch)

    def view(self, user_id: UUID) -> View:
        self.connection.rollback()
        return view_of(self.connection, user_id)

    def clear(self) -> None:
        self.connection.rollback()
        with self.database.engine.begin() as connection:
            empty_tables(connection)
        self.store._verified = False


@pytest.fixture(scope="session")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(workers=2, clock_seconds=WAIT_SECONDS) as pool:
        yield pool


def _server(postgres: EmbeddedServer, name: str, template: str, folder: Path, pool: ProcessPool) -> Iterator[Server]:
    with copied_database(postgres, name, template):
        settings = settings_for(postgres, name, data_dir=folder)
        with Database(settings) as database, psycopg.connect(plain_url(database.url)) as connection:
            yield Server(database, open_store(settings, database), connection, pool)


@pytest.fixture(scope="session")
def servers(
    postgres: EmbeddedServer, template: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory, pool: ProcessPool
) -> Iterator[tuple[Server, Server]]:
    source = _server(postgres, f"source_{worker_id}", template, tmp_path_factory.mktemp("source"), pool)
    target = _server(postgres, f"target_{worker_id}", template, tmp_path_factory.mktemp("target"), pool)
    yield next(source), next(target)
    for server in (source, target):
        next(server, None)


@pytest.fixture
def source(servers: tuple[Server, Server]) -> Iterator[Server]:
    yield servers[0]
    servers[0].clear()


@pytest.fixture
def target(servers: tuple[Server, Server]) -> Iterator[Server]:
    yield servers[1]
    servers[1].clear()


@pytest.fixture(scope="module")
def archived(servers: tuple[Server, Server], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[UUID, Path]]:
    """The user and their archive, with ten media."""
    maker = servers[0].maker(seed=5)
    fill_library(maker)
    yield maker.user, servers[0].save_archive(maker.user, tmp_path_factory.mktemp("archive"))
    servers[0].clear()


@pytest.fixture
def user(archived: tuple[UUID, Path]) -> UUID:
    return archived[0]


@pytest.fixture
def archive(archived: tuple[UUID, Path], tmp_path: Path) -> Path:
    copied = tmp_path / "library.zip"
    copied.write_bytes(archived[1].read_bytes())
    return copied


@pytest.fixture
def imports(
    client: httpx2.Client, database: Database, postgres: EmbeddedServer, database_name: str, data_of_process: Path,
    pool: ProcessPool, tmp_path: Path,
) -> Imports:  # fmt: skip
    store = open_store(settings_for(postgres, database_name, data_dir=data_of_process), database)
    resources = RestoreResources(database, store, pool, AllowList(), 1 << 40, 1 << 40)
    return Imports(client, resources, tmp_path / "scratch")


@pytest.fixture
def content(source: Server, imports: Imports) -> bytes:
    """An archive with ten media."""
    return archive_of(source, imports, size=3)


@pytest.fixture
def small_content(source: Server, imports: Imports) -> bytes:
    """An archive with six media, one of every kind."""
    return archive_of(source, imports, size=1)


def archive_of(source: Server, imports: Imports, size: int) -> bytes:
    maker = source.maker(seed=7)
    fill_library(maker, size=size)
    imports.user = maker.user
    return source.archive(maker.user)
