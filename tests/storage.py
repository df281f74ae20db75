"""An object storage for tests: a real server on this machine, and a site that is set to it.

Each conftest whose tests need it imports the four fixtures.
"""

import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.backends.object_storage import Patience
from tests.fakes.faulty_proxy import FaultyProxy
from tests.fakes.s3_server import StorageServer, running_server


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


@dataclass(frozen=True, slots=True)
class SiteStorage:
    """A bucket of the storage that the site is set to, and what stands between the two."""

    bucket: str
    server: StorageServer
    proxy: FaultyProxy

    def put(self, key: str, content: bytes | Path) -> None:
        body = content.read_bytes() if isinstance(content, Path) else content
        self.server.client().put_object(Bucket=self.bucket, Key=key, Body=body)


@pytest.fixture
def site_storage(
    storage_server: StorageServer,
    storage_proxy: FaultyProxy,
    storage_keys: None,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> SiteStorage:
    """Set the site to a storage with an empty bucket; what is fetched lies in the test's folder."""
    settings.VIDEO_STORAGE_URL = storage_proxy.endpoint_url
    settings.VIDEO_STORAGE_REGION, settings.VIDEO_STORAGE_ADDRESSING = "", "path"
    settings.MEDIA_ROOT = tmp_path / "media"
    # What fails is soon given up; what a busy machine takes its time for is not.
    twice = Patience(connect_s=10, read_s=60, attempts=2)
    for module in ("local_videos", "object_videos"):
        monkeypatch.setattr(f"annotation.services.videos.{module}.WORKING", twice)
    for module in ("services.videos.content", "backends.made_files"):
        monkeypatch.setattr(f"annotation.{module}.SERVING", twice)
    bucket = f"piev-{uuid.uuid4().hex}"
    storage_server.client().create_bucket(Bucket=bucket)
    return SiteStorage(bucket, storage_server, storage_proxy)
