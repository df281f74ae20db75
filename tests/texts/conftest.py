"""The personas of the audit's tests."""

from tests.annotation.conftest import (  # noqa: F401
    administrator,
    annotator,
    annotator_client,
    outsider,
    outsider_client,
    owner,
    owner_client,
)
