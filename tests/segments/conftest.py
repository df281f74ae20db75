"""The personas of the audit's tests, and the folder of what the site makes."""

from tests.annotation.conftest import (  # noqa: F401
    administrator,
    administrator_client,
    annotator,
    annotator_client,
    media,
    outsider,
    outsider_client,
    owner,
    owner_client,
)
from tests.storage import (  # noqa: F401
    site_storage,
    storage_keys,
    storage_proxy,
    storage_server,
)
