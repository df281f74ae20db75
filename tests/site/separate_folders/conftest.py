"""A researcher with the sample corpus, and a storage that the site may write to."""

from tests.annotation.conftest import owner, owner_client  # noqa: F401
from tests.benchmarks.conftest import few_draws, sample  # noqa: F401
from tests.storage import (  # noqa: F401
    site_storage,
    storage_keys,
    storage_proxy,
    storage_server,
)
