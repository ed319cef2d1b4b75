"""A folder, and buckets of a real S3 server addressed by path and by virtual host: the same tests for each."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
from moto.server import ThreadedMotoServer

from nexus.config import Settings, load_settings
from nexus.db.session import Database
from nexus.store import BlobStore, open_store
from tests.processes import TRUSTS_NOBODY

KEYS = {"store_access_key_id": "test", "store_secret_access_key": "test", "store_region": "us-east-1"}
AMAZON = "http://s3.us-east-1.amazonaws.com"  # reached through the server on loopback, as through a proxy


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def make_bucket(s3: str) -> str:
    name = f"library-{uuid4().hex}"
    with httpx2.Client(base_url=s3, timeout=60, verify=TRUSTS_NOBODY) as http:
        http.put(f"/{name}").raise_for_status()
    return name


@pytest.fixture
def path_style(s3: str, tmp_path: Path) -> Settings:
    store = f"s3://{make_bucket(s3)}/some/prefix"
    return load_settings(store=store, store_endpoint=s3, data_dir=tmp_path, **KEYS)


@pytest.fixture
def virtual_host_style(s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("http_proxy", s3)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    return load_settings(
        store=f"s3://{make_bucket(s3)}", store_endpoint=AMAZON, store_addressing="virtual-host", data_dir=tmp_path,
        **KEYS,
    )  # fmt: skip


@pytest.fixture
def folder_settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path)


@pytest.fixture(params=["folder_settings", "path_style", "virtual_host_style"])
def store(request: pytest.FixtureRequest, database: Database) -> BlobStore:
    return open_store(request.getfixturevalue(request.param), database)


@pytest.fixture
def folder(folder_settings: Settings, database: Database) -> BlobStore:
    return open_store(folder_settings, database)


@pytest.fixture
def naming(database: Database) -> Iterator[str]:
    """A table whose rows name blobs, as tables of later migrations will."""
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE names_a_blob (sha256 bytea REFERENCES blobs)")
    yield "names_a_blob"
    with database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE names_a_blob")
