"""The personas of the tests: who owns, who rates, who administers, and who has no business here."""

from pathlib import Path

import pytest
from django.test import Client

# The addresses import every `launch`. One that is imported while a test has replaced `send_jobs`
# would keep the replacement for all tests that follow.
import piev_site.urls  # noqa: F401
from annotation.models import Role, User
from tests.factories import UserFactory
from tests.storage import (  # noqa: F401
    site_storage,
    storage_keys,
    storage_proxy,
    storage_server,
)


@pytest.fixture
def owner(db: None) -> User:
    """Return the researcher who owns what the test makes."""
    return UserFactory(username="owner", role=Role.RESEARCHER)


@pytest.fixture
def media(tmp_path: Path, settings) -> Path:
    """Return the folder of what the site makes, this test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


@pytest.fixture
def annotator(db: None) -> User:
    return UserFactory(username="annotator", role=Role.ANNOTATOR)


@pytest.fixture
def outsider(db: None) -> User:
    """Return another researcher, who owns nothing of the test's rows."""
    return UserFactory(username="outsider", role=Role.RESEARCHER)


@pytest.fixture
def administrator(db: None) -> User:
    return UserFactory(username="administrator", role=Role.ADMINISTRATOR)


def client_of(user: User) -> Client:
    """Return a test client in which `user` is logged in."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def owner_client(owner: User) -> Client:
    return client_of(owner)


@pytest.fixture
def annotator_client(annotator: User) -> Client:
    return client_of(annotator)


@pytest.fixture
def outsider_client(outsider: User) -> Client:
    return client_of(outsider)


@pytest.fixture
def administrator_client(administrator: User) -> Client:
    return client_of(administrator)
