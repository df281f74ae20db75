"""Videos whose files are objects of a storage."""

from annotation.models import Video
from tests.factories import DatasetFactory, VideoFactory
from tests.storage import SiteStorage

CONTENT = bytes(range(256)) * 12_000


def stored_video(storage: SiteStorage, key: str = "tea/one.mp4", content: bytes = CONTENT) -> Video:
    """Put an object into the storage and return the video that is linked to it."""
    storage.put(key, content)
    facts = storage.server.client().head_object(Bucket=storage.bucket, Key=key)
    folder, _, name = key.rpartition("/")
    dataset = DatasetFactory(video_folder=f"s3://{storage.bucket}/{folder}")
    etag = facts["ETag"].strip('"')
    return VideoFactory(dataset=dataset, path=name, size_bytes=len(content), etag=etag)
