"""Shared servers: one PostgreSQL for the whole run, one database and one HTTP server per test process."""

import gc
import logging
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import httpx2
import hypothesis
import psycopg
import pytest
import uvicorn
from fastapi import FastAPI
from psycopg import sql
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from nexus.app import create_app
from nexus.config import Settings, load_settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.http.connections import limits_from
from nexus.http.protocol import bounded_protocol
from nexus.logging import configure_logging
from nexus.services.search.index_process import index_here
from nexus.system.file_lock import FileLock
from tests.empty_tables import allow_emptying, empty_tables
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import TRUSTS_NOBODY, Nexus, eventually, plain_url, run_nexus
from tests.scheduling import WaitingBesideBusy
from tests.slowest_files import SlowestFiles

# Without deadlines, which a loaded machine would miss. The same examples in each run, so that a change is judged by
# what it changed; `HYPOTHESIS_PROFILE=search make unit` looks for new ones.
NO_CLOCK = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("suite", NO_CLOCK, derandomize=True)
hypothesis.settings.register_profile("search", NO_CLOCK)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

SHARED = "NEXUS_TESTS_SHARED_FOLDER"
MEMORY, MIN_MEMORY_BYTES = "/dev/shm", 4 * 2**30
# What these databases hold may be lost: the tests of durability start servers of their own. Each test process may run
# a server and a worker of its own. Autovacuum would note that the tables are empty, which they are between any two
# tests, and the next test's statements would be planned for that.
# Who may connect is tested with servers of their own, too: proving that one knows the password takes 4 ms each time.
FOR_TESTS = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 400\nautovacuum = off\n"


def pytest_configure(config: pytest.Config) -> None:
    """The process that starts the others makes a clean environment and a folder that all of them share."""
    config.addinivalue_line("markers", "processor_seconds(limit): fails if it takes more, however busy the machine is")
    # A shell that puts us in the background leaves SIGINT ignored, for us and for every child we want to stop with it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if SHARED in os.environ:
        return
    config.pluginmanager.register(SlowestFiles())
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every test process compiles every test file in every run
    for name in list(os.environ):
        if name.startswith(("NEXUS_", "WORKER_", "PODCAST_", "DATABASE_URL", "DEV_USER_ID", "PG")):
            del os.environ[name]
    # Short: sockets are in there, and their paths may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="nexus-tests-", dir=MEMORY if _has_room_in_memory() else None))
    folder.chmod(0o711)  # as root, the database's account must get through
    os.environ[SHARED] = str(folder)
    temporary = folder / "t"  # browsers, and processes that are killed, leave folders behind
    temporary.mkdir()
    temporary.chmod(0o1777)
    os.environ["TMPDIR"], tempfile.tempdir = str(temporary), None
    config.option.basetemp = config.option.basetemp or folder / "pytest"  # else those of three runs stay in memory


def _has_room_in_memory() -> bool:
    """Databases and browser profiles are thousands of small files, made and removed again and again.

    A run needs 0.7 GB for them. What tests write may be lost.
    """
    try:
        system = os.statvfs(MEMORY)
    except FileNotFoundError:
        return False
    return system.f_bavail * system.f_frsize >= MIN_MEMORY_BYTES and not system.f_flag & os.ST_NOEXEC


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Runs in each test process. Collected tests stay, so the garbage collector need not visit them, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A measure of the code, which the wall clock is not where other processes have the same processor."""
    began = time.process_time()
    result = yield
    used = time.process_time() - began
    for mark in item.iter_markers("processor_seconds"):
        assert used < mark.args[0], f"{used:.0f} s of processor time"
    return result


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    return WaitingBesideBusy(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def plain_logs() -> None:
    configure_logging("INFO", "text")
    logging.getLogger("httpx2").setLevel("WARNING")  # each request: the server has a line for it, too


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(SHARED), ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedServer]:
    """The product's own embedded server; every test process is one of its users."""
    server = EmbeddedServer(Path(os.environ[SHARED]) / "postgres-data")
    with FileLock(Path(os.environ[SHARED]) / "postgres.lock") as lock:
        lock.acquire(wait=True)
        settings = server.data_dir / "postgres" / "data" / "postgresql.conf"
        if not settings.exists():
            server.start()
            server.stop()
            settings.write_text(FOR_TESTS)
            settings.with_name("pg_hba.conf").write_text("local all all trust\n")
            allow_emptying(server.data_dir)
        server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def template(postgres: EmbeddedServer) -> str:
    """A migrated database to copy; the first test process makes it."""
    name = "template_nexus"
    with FileLock(postgres.data_dir / "template.lock") as lock:
        lock.acquire(wait=True)
        with postgres.connect(autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                return name
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        with Database(settings_for(postgres, name)) as database:
            upgrade(database.engine)
    return name


def settings_for(postgres: EmbeddedServer, dbname: str, **others: object) -> Settings:
    arguments = postgres.connect_arguments()
    url = f"postgresql://{arguments['user']}:{arguments['password']}@/{dbname}?host={arguments['host']}"
    return load_settings(database_url=url, **others)


@contextmanager
def copied_database(postgres: EmbeddedServer, name: str, template: str | None) -> Iterator[str]:
    with postgres.connect(autocommit=True) as connection:
        drop_database(connection, name)
        source = sql.Identifier(template or "template1")
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), source))
    yield name
    with postgres.connect(autocommit=True) as connection:
        drop_database(connection, name)


def drop_database(connection: psycopg.Connection, name: str) -> None:
    """Autovacuum may be at work in it: its process is the superuser's, not ours to end, and soon done."""
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))

    def is_dropped() -> bool:
        with suppress(psycopg.errors.InsufficientPrivilege):
            connection.execute(drop)
            return True
        return False

    eventually(is_dropped, f"{name} is in use")


@pytest.fixture(scope="session")
def database_name(postgres: EmbeddedServer, template: str, worker_id: str) -> Iterator[str]:
    with copied_database(postgres, f"test_{worker_id}", template) as name:
        yield name


@pytest.fixture
def empty_database(postgres: EmbeddedServer, worker_id: str) -> Iterator[str]:
    """A database without a schema, for the tests of migrations."""
    with copied_database(postgres, f"empty_{worker_id}", None) as name:
        yield name


@pytest.fixture(scope="session")
def shared_database(postgres: EmbeddedServer, database_name: str) -> Iterator[Database]:
    with Database(settings_for(postgres, database_name)) as database:
        yield database


@pytest.fixture
def database(shared_database: Database) -> Iterator[Database]:
    """Migrated and empty."""
    yield shared_database
    with shared_database.engine.begin() as connection:
        empty_tables(connection)


@pytest.fixture
def connection(database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(plain_url(database.url)) as raw:
        yield raw


@pytest.fixture
def steps(database: Database, connection: psycopg.Connection) -> LifecycleSteps:
    return LifecycleSteps(database, connection)


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The application behind a real HTTP server on a free port."""
    http = bounded_protocol(limits_from(app.state.settings))
    config = uvicorn.Config(app, port=0, http=http, ws="none", log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive(), "the HTTP server did not start"
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        app.state.pictures.close()  # what the lifespan does, which would also close the shared database
        app.state.downloads.close()
        app.state.captures.close()


def everything_on(**others: object) -> Settings:
    """An application with every group of routes, for the tests of its description."""
    on = {"feeds_api": True, "operator_config_api": True, "jobs_api": True, "output_dir": os.environ[SHARED]}
    return load_settings(**(on | others))


def running_app(settings: Settings, database: Database) -> AbstractContextManager[str]:
    return serving(create_app(settings, database))


@pytest.fixture(scope="session")
def data_of_process() -> Path:
    """Where the servers of this process keep pictures and blobs."""
    return Path(tempfile.mkdtemp(prefix="data-", dir=os.environ[SHARED]))


@pytest.fixture(scope="session")
def dev_server(
    postgres: EmbeddedServer, shared_database: Database, database_name: str, data_of_process: Path
) -> Iterator[str]:
    with running_app(settings_for(postgres, database_name, data_dir=data_of_process), shared_database) as url:
        yield url


@pytest.fixture(scope="session")
def token_server(
    postgres: EmbeddedServer, shared_database: Database, database_name: str, data_of_process: Path
) -> Iterator[str]:
    settings = settings_for(
        postgres, database_name, auth="token", allowed_hosts="nexus.example", data_dir=data_of_process
    )
    with running_app(settings, shared_database) as url:
        yield url


@pytest.fixture
def client(dev_server: str, database: Database, data_of_process: Path) -> Iterator[httpx2.Client]:
    hooks = indexing(database, data_of_process)
    with httpx2.Client(base_url=dev_server, timeout=60, verify=TRUSTS_NOBODY, event_hooks=hooks) as http:
        yield http


def indexing(database: Database, data_dir: Path) -> dict[str, list[Callable[..., None]]]:
    """Does what the process of the search index does: these servers run without it, so that no test waits for it."""
    searches = ("/api/search", "/api/saved-searches", "/api/library/bulk", "/api/library/download", "/related", "/hits",
                "/api/exports", "/api/export-schedules")  # fmt: skip

    def index(request: httpx2.Request) -> None:
        if request.url.path.endswith((*searches, "/suggestions")):
            assert index_here(database, data_dir)

    return {"request": [index]}


@pytest.fixture
def token_client(token_server: str, database: Database) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=token_server, timeout=60, verify=TRUSTS_NOBODY) as http:
        yield http


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """An empty folder that the database's account can reach, for tests that start their own Nexus."""
    folder = Path(tempfile.mkdtemp(prefix="d-", dir=os.environ[SHARED]))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def nexus(data_dir: Path) -> Iterator[Nexus]:
    """The real command on a data directory of its own."""
    with run_nexus(data_dir) as command:
        yield command


@pytest.fixture
def nexus_on_copy(postgres: EmbeddedServer, template: str, worker_id: str, data_dir: Path) -> Iterator[Nexus]:
    """The real command on a copy of the migrated database: quicker where the database server is not the subject."""
    with copied_database(postgres, f"command_{worker_id}", template) as name:
        url = settings_for(postgres, name).database_url or ""
        with run_nexus(data_dir, DATABASE_URL=url) as command:
            yield command


@pytest.fixture(scope="module")
def nexus_of_module(
    postgres: EmbeddedServer, template: str, worker_id: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nexus]:
    """The same, shared by the tests of one file, so that its servers are started once."""
    with copied_database(postgres, f"module_{worker_id}", template) as name:
        url = settings_for(postgres, name).database_url or ""
        with run_nexus(tmp_path_factory.mktemp("nexus"), DATABASE_URL=url) as command:
            yield command
