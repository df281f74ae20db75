"""Send what a site kept below its media folder to the object storage that it is set to now."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from annotation.backends import made_files
from annotation.backends.object_storage import ObjectMissingError, StorageError
from annotation.engine.corpus.formats.folders import files_in
from annotation.engine.videos.storage_prefix import is_storage_address
from annotation.models import Video

# The hidden folder that is kept: clips that somebody uploaded or paid for. What lies in others is
# being made, or was fetched.
KEPT_FOLDER = ".clips"


def send_made_files(*, watch: Callable[[int, int], None]) -> tuple[int, int]:
    """Send every finished file, and note of the videos among them what they are there.

    Files stay below the media folder, which may be emptied afterwards. What was sent before is not
    sent again. `watch` is told how many of how many are done. Returns how many files there are and
    how many were sent now. Raises OSError.
    """
    media = Path(settings.MEDIA_ROOT)
    paths = [path for path in files_in(media) if _is_finished(path)]
    there_count = sent_count = 0
    for done_count, path in enumerate(paths):
        watch(done_count, len(paths))
        # The site works meanwhile, and may have removed it.
        with suppress(FileNotFoundError):
            if not _is_sent(path):
                made_files.keep(path, stays=True)
                sent_count += 1
            there_count += 1
    _note_videos()
    return there_count, sent_count


def _is_finished(path: Path) -> bool:
    parts = path.relative_to(settings.MEDIA_ROOT).parts
    return all(not part.startswith(".") or part == KEPT_FOLDER for part in parts)


def _is_sent(path: Path) -> bool:
    size_bytes = path.stat().st_size
    try:
        return made_files.found(made_files.name_of(path)).size_bytes == size_bytes
    except ObjectMissingError:
        return False
    except StorageError as error:
        raise OSError(str(error)) from error


def _note_videos() -> None:
    """Videos that the site made are found in the storage by what they are there."""
    for video in Video.objects.filter(etag="").select_related("dataset"):
        folder = video.address
        if not folder or is_storage_address(folder) or Path(folder).is_absolute():
            continue
        try:
            item = made_files.found(f"{folder}/{video.path}")
        except ObjectMissingError:
            continue
        except StorageError as error:
            raise OSError(str(error)) from error
        if item.size_bytes == video.size_bytes:
            Video.objects.filter(pk=video.pk).update(etag=item.etag)
