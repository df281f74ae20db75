"""The object storage and the folder of fetched files, as the settings of the site say."""

import hashlib
import os
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path

from django.conf import settings

from annotation.backends.file_cache import FileCache
from annotation.backends.object_storage import (
    ObjectStorage,
    Patience,
    StorageConfig,
    StorageRefusedError,
    StoredObject,
)

CACHE_FOLDER = ".fetched-videos"
MEGABYTE = 1024 * 1024
NAME_CHARACTERS = 40
# Somebody waits before a player, and a thread of the web server with them.
SERVING = Patience(connect_s=3, read_s=5, attempts=2)
WORKING = Patience(connect_s=10, read_s=60, attempts=4)


def object_storage(patience: Patience) -> ObjectStorage:
    """The site's storage; StorageRefusedError where it cannot be asked at all."""
    config = StorageConfig(
        endpoint_url=settings.VIDEO_STORAGE_URL,
        region=settings.VIDEO_STORAGE_REGION,
        addressing=settings.VIDEO_STORAGE_ADDRESSING,
    )
    # Connections are not shared with a process that was forked off.
    return _opened(config, patience, os.getpid())


@lru_cache(maxsize=8)
def _opened(config: StorageConfig, patience: Patience, _process_id: int) -> ObjectStorage:
    # Loading boto3 takes a second and 40 MB, which only sites with a storage should pay.
    try:
        module = import_module("annotation.backends.s3_storage")
    except ImportError as error:
        raise StorageRefusedError(
            f"Videos in an object storage need a package that is not installed ({error.name}); "
            'install PIE-V with the extra "s3".'
        ) from error
    storage: ObjectStorage = module.S3Storage(config, patience)
    return storage


def fetched(item: StoredObject, storage: ObjectStorage) -> AbstractContextManager[Path]:
    """Yield a copy of the object on this machine, fetched unless it still is here.

    It stays until the context is left. Raises StorageError, CacheFullError, OSError.
    """
    # The same name always stands for this very content.
    facts = (settings.VIDEO_STORAGE_URL, item.bucket, item.key, item.etag, str(item.size_bytes))
    name = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:NAME_CHARACTERS]
    folder = Path(settings.MEDIA_ROOT) / CACHE_FOLDER
    cache = FileCache(folder, settings.VIDEO_CACHE_MB * MEGABYTE)
    return cache.locked_file(name, item.size_bytes, partial(storage.download, item))
