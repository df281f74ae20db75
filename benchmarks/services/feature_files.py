"""Store feature files from a browser, the API or a folder, zip archives included."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.engine.corpus.formats.errors import FormatError, fault_of_file
from annotation.models import Dataset, User
from annotation.services.corpus.uploads import MAX_FILES, UploadRefusedError, check_directory
from benchmarks.engine.features.reading import (
    MOST_BYTES,
    NPY,
    NPZ,
    Expected,
    read_recordings,
)
from benchmarks.engine.numpy_heads import DAMAGE_ERRORS, is_disk_failure
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import recordings_of
from benchmarks.services.features import FeaturesRequest, store_features

ZIP = ".zip"
ENCRYPTED_FLAG = 0x1
# Unpacked arrays may take this many times the upload limit: half precision doubles in size when
# stored, and an .npz may be compressed.
UNPACKED_LIMITS = 4

NamedFile = tuple[str, IO[bytes]]


def upload_features(
    *,
    dataset: Dataset,
    request: FeaturesRequest,
    files: Iterable["UploadedFile[Any]"],
    key: str = "",
    actor: User,
) -> FeatureSet:
    """Store uploaded files; raises FormatError with every fault, ValidationError by field."""
    uploads = list(files)
    most_bytes = settings.UPLOAD_LIMIT_MB << 20
    total_bytes = sum(file.size or 0 for file in uploads)
    if total_bytes > most_bytes:
        words = f"at most {settings.UPLOAD_LIMIT_MB} MB; `manage.py features import` takes more"
        raise fault_of_file("", f"{total_bytes >> 20} MB", words, field="size")
    opened = [(str(file.name), file.file) for file in uploads if file.file is not None]
    unpacked_bytes = UNPACKED_LIMITS * most_bytes
    expected = Expected(_names_of(dataset), request.seconds_per_row, key, unpacked_bytes)
    arrays = read_recordings(_unpacked(opened, unpacked_bytes), expected)
    return store_features(dataset=dataset, request=request, arrays=arrays, actor=actor)


def import_features(
    *,
    dataset: Dataset,
    request: FeaturesRequest,
    path: Path,
    key: str = "",
    actor: User | None,
) -> FeatureSet:
    """Store a file of this machine, or all .npy and .npz in a folder, like `upload_features`."""
    paths = [path]
    if path.is_dir():
        files = (item for item in path.rglob("*") if item.suffix.lower() in (NPY, NPZ))
        paths = sorted(item for item in files if item.is_file() and item.name[0] != ".")

    def opened() -> Iterator[NamedFile]:
        for item in paths:
            with item.open("rb") as file:
                name = str(item.relative_to(path)) if path.is_dir() else item.name
                yield from _unpacked([(name, file)])

    expected = Expected(_names_of(dataset), request.seconds_per_row, key)
    arrays = read_recordings(opened(), expected)
    return store_features(dataset=dataset, request=request, arrays=arrays, actor=actor)


def _names_of(dataset: Dataset) -> dict[str, str]:
    """Recordings by their ids, and by video names that belong to one recording only."""
    rows = recordings_of(dataset)
    stems: dict[str, set[str]] = {}
    for uid, row in rows.items():
        for stem in row.stems:
            stems.setdefault(stem, set()).add(uid)
    by_stem = {stem: uids.pop() for stem, uids in stems.items() if len(uids) == 1}
    return by_stem | {uid: uid for uid in rows}


def _unpacked(files: Iterable[NamedFile], most_bytes: int | None = None) -> Iterator[NamedFile]:
    """Yield the files, and in place of zip archives the files in them.

    The declared sizes in all archives may add up to `most_bytes`; zipfile never unpacks more than
    is declared.
    """
    byte_count = 0
    for name, file in files:
        try:
            if PurePosixPath(name).suffix.lower() in (NPZ, ZIP):
                check_directory(file, name)
            if not name.lower().endswith(ZIP):
                yield name, file
                continue
            with zipfile.ZipFile(file) as archive:
                byte_count += sum(item.file_size for item in archive.infolist())
                if most_bytes is not None and byte_count > most_bytes:
                    words = f"at most {most_bytes >> 20} MB in all archives"
                    raise fault_of_file(
                        name, f"{byte_count >> 20} MB", words, field="size unpacked"
                    )
                yield from _members(name, archive)
        except UploadRefusedError as error:
            raise fault_of_file(name, str(error), "an archive of features") from error
        except FormatError:
            raise
        except DAMAGE_ERRORS as error:
            if is_disk_failure(error):
                raise
            raise fault_of_file(name, str(error), "a whole zip archive") from error


def _members(name: str, archive: zipfile.ZipFile) -> Iterator[NamedFile]:
    members = [
        item
        for item in archive.infolist()
        if not item.is_dir()
        # Hidden files and folders that file managers add.
        and not PurePosixPath(item.filename).name.startswith(".")
        and "__MACOSX" not in item.filename
    ]
    if len(members) > MAX_FILES:
        raise fault_of_file(name, len(members), f"at most {MAX_FILES:,}", field="files")
    for member in members:
        if member.flag_bits & ENCRYPTED_FLAG or member.file_size > MOST_BYTES:
            words = f"no encrypted file, and none above {MOST_BYTES >> 20} MB"
            raise fault_of_file(name, member.filename, words, field="file")
        # An .npz is read from its end, and each seek in a compressed member unpacks it again.
        with tempfile.TemporaryFile() as copy:
            with archive.open(member) as packed:
                shutil.copyfileobj(packed, copy)
            check_directory(copy, member.filename)
            yield member.filename, copy
