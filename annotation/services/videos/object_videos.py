"""Videos below a prefix of an object storage.

Lists of a thousand objects each say what is there, as long as that takes fewer requests than asking
for every recording; the rest is asked for one by one. A probe fetches the parts of a video that it
reads, not the whole.
"""

from dataclasses import dataclass
from string import Formatter
from typing import Self

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.probe import probe_video
from annotation.backends.object_reader import ObjectReader, TooManyReadsError
from annotation.backends.object_storage import (
    ObjectDeniedError,
    ObjectError,
    ObjectMissingError,
    ObjectStorage,
    StorageError,
    StoredObject,
)
from annotation.backends.site_storage import WORKING, object_storage
from annotation.engine.videos.storage_prefix import (
    StoragePrefix,
    StoragePrefixError,
    is_plain_key,
    is_storage_address,
)
from annotation.models import User
from annotation.selectors.videos.files import opened_places
from annotation.services.videos.folder_videos import allowed_places
from annotation.services.videos.links import (
    PATH_CHARACTERS,
    LinkedRecording,
    ProbedFile,
    VideoLinkError,
    Watch,
    probed,
    refusal_of,
    relative_path,
)

# Answers take long and little work.
ASKING_THREADS = 8
# A list of a thousand objects costs about as much as asking for a few of them.
MIN_PAGES = 10
RECORDINGS_PER_PAGE = 4


@dataclass(frozen=True, slots=True)
class ObjectVideos:
    """The videos below a prefix of the site's storage."""

    place: StoragePrefix

    @classmethod
    def of(cls, address: str, actor: User | None) -> Self:
        """The prefix that the actor names; None is the command line, which may name any."""
        try:
            place = StoragePrefix.parse(address)
        except StoragePrefixError as error:
            raise VideoLinkError(str(error)) from error
        if (
            actor is not None
            and not actor.is_administrator
            and not any(
                place.is_within(StoragePrefix.parse(root))
                for root in opened_places()
                if is_storage_address(root)
            )
        ):
            raise VideoLinkError(allowed_places())
        if len(str(place)) > PATH_CHARACTERS:
            raise VideoLinkError(f"The prefix is longer than {PATH_CHARACTERS} characters.")
        return cls(place)

    @property
    def address(self) -> str:
        return str(self.place)

    def look_up(
        self, recordings: list[LinkedRecording], pattern: str, watch: Watch
    ) -> list[ProbedFile]:
        """Probe the object of every recording; VideoLinkError where the storage refuses."""
        try:
            storage = object_storage(WORKING)
            search = _Search(storage, self.place, pattern)
            search.list_objects(recordings)
            files = probed(search.look_up, recordings, ASKING_THREADS, watch)
        except StorageError as error:
            raise VideoLinkError(str(error)) from error
        if search.denied and len(search.denied) == len(recordings):
            raise VideoLinkError(
                f"{search.denied[0]} Access to every other recording was denied too."
            )
        return files


class _Search:
    """Looks for the objects of recordings; `denied` collects what the keys may not read."""

    def __init__(self, storage: ObjectStorage, place: StoragePrefix, pattern: str) -> None:
        self.storage = storage
        self.place = place
        self.pattern = pattern
        self.denied: list[str] = []
        self.listed: dict[str, StoredObject] = {}
        self.is_complete = False

    def list_objects(self, recordings: list[LinkedRecording]) -> None:
        """List what is there, unless that takes too many requests or is not allowed."""
        keys = {self.place.key_of(relative_path(item, self.pattern)) for item in recordings}
        most_pages = max(MIN_PAGES, len(keys) // RECORDINGS_PER_PAGE)
        literal, *_ = next(iter(Formatter().parse(self.pattern)))
        pages = self.storage.pages(self.place.bucket, self.place.key_of(literal))
        try:
            for number, page in enumerate(pages, start=1):
                self.listed |= {item.key: item for item in page if item.key in keys}
                if len(self.listed) == len(keys) or number == most_pages:
                    return
            self.is_complete = True
        except ObjectDeniedError:
            # Keys may be allowed to read objects and not to list them.
            return

    def look_up(self, recording: LinkedRecording) -> ProbedFile:
        relative = relative_path(recording, self.pattern)
        key = self.place.key_of(relative)
        refusal = refusal_of(relative)
        if refusal or not is_plain_key(key):
            return ProbedFile(recording, relative, refusal=refusal or "is no name of an object")
        item = self.listed.get(key)
        if item is None and self.is_complete:
            return ProbedFile(recording, relative)
        try:
            item = item or self.storage.find(self.place.bucket, key)
            reader = ObjectReader(self.storage, item)
            try:
                probe = probe_video(reader)
            finally:
                # A file that ends early because the storage failed is not what its probe says.
                reader.raise_failure()
            return ProbedFile(recording, relative, probe, etag=item.etag)
        except ObjectMissingError:
            return ProbedFile(recording, relative)
        except ObjectDeniedError as error:
            self.denied.append(str(error))
            return ProbedFile(recording, relative, refusal=str(error))
        except (ObjectError, VideoError, TooManyReadsError) as error:
            return ProbedFile(recording, relative, refusal=str(error))
