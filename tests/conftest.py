"""What every test may ask for. Engine tests use only the fixtures of this file."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.faulty_proxy import FaultyProxy
from tests.fakes.s3_server import StorageServer, running_server

REPOSITORY = Path(__file__).resolve().parent.parent

# How long one example takes says more about what else the machine does than about the code.
settings.register_profile("piev", deadline=None)
settings.load_profile("piev")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the published annotation files, or skip and say where it was sought."""
    folder = Path(os.environ.get("PIEV_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no published annotation files at {folder}; set PIEV_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def storage_server() -> Iterator[StorageServer]:
    """Return a real object storage on this machine, which checks keys."""
    with running_server() as server:
        yield server


@pytest.fixture
def storage_proxy(storage_server: StorageServer) -> Iterator[FaultyProxy]:
    """Return what stands before the storage, to count and to break its answers."""
    proxy = FaultyProxy(storage_server.endpoint_url)
    yield proxy
    proxy.close()


@pytest.fixture
def storage_keys(storage_server: StorageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the site's keys where boto3 looks, and nothing else of this machine's."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", storage_server.reader.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", storage_server.reader.secret_key)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
