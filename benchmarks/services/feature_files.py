"""Read feature files of this machine, zip archives included."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from annotation.engine.corpus.formats.errors import FormatError, fault_of_file
from annotation.models import Dataset, User
from annotation.services.corpus.uploads import MAX_FILES, UploadRefusedError, check_directory
from benchmarks.engine.answers.numpy_heads import DAMAGE_ERRORS, is_disk_failure
from benchmarks.engine.features.reading import (
    MOST_BYTES,
    NPY,
    NPZ,
    Expected,
    read_recordings,
)
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import recordings_of
from benchmarks.services.features import FeaturesRequest, store_features

ZIP = ".zip"
ENCRYPTED_FLAG = 0x1

NamedFile = tuple[str, IO[bytes]]


def import_features(
    *,
    dataset: Dataset,
    request: FeaturesRequest,
    path: Path,
    key: str = "",
    actor: User | None,
) -> FeatureSet:
    """Store a file, or all .npy and .npz in a folder.

    Raises FormatError with every fault, ValidationError by field.
    """
    paths = [path]
    if path.is_dir():
        files = (item for item in path.rglob("*") if item.suffix.lower() in (NPY, NPZ))
        paths = sorted(item for item in files if item.is_file() and item.name[0] != ".")

    def opened() -> Iterator[NamedFile]:
        for item in paths:
            with item.open("rb") as file:
                name = str(item.relative_to(path)) if path.is_dir() else item.name
                yield from unpacked([(name, file)])

    expected = Expected(names_of(dataset), request.seconds_per_row, key)
    read = partial(read_recordings, opened(), expected)
    return store_features(dataset=dataset, request=request, read=read, actor=actor)


def names_of(dataset: Dataset) -> dict[str, str]:
    """Recordings by their ids, and by video names that belong to one recording only."""
    rows = recordings_of(dataset)
    stems: dict[str, set[str]] = {}
    for uid, row in rows.items():
        for stem in row.stems:
            stems.setdefault(stem, set()).add(uid)
    by_stem = {stem: uids.pop() for stem, uids in stems.items() if len(uids) == 1}
    return by_stem | {uid: uid for uid in rows}


def listed_names(files: Iterable[NamedFile], most_bytes: int) -> list[str]:
    """The names of the files, and in place of zip archives those in them; nothing is unpacked.

    Raises FormatError for archives that are damaged, or that declare more than `most_bytes`.
    """
    names: list[str] = []
    byte_count = 0
    for name, file in files:
        with _damage_named(name):
            suffix = PurePosixPath(name).suffix.lower()
            if suffix in (NPZ, ZIP):
                check_directory(file, name)
            if suffix != ZIP:
                names.append(name)
                continue
            with zipfile.ZipFile(file) as archive:
                byte_count += sum(item.file_size for item in archive.infolist())
                if byte_count > most_bytes:
                    words = f"at most {most_bytes >> 20} MB in all archives"
                    shown = f"{byte_count >> 20} MB"
                    raise fault_of_file(name, shown, words, field="size unpacked")
                names += [member.filename for member in _members_of(name, archive)]
    return names


def unpacked(files: Iterable[NamedFile]) -> Iterator[NamedFile]:
    """Yield the files, and in place of zip archives the files in them, one at a time.

    zipfile never unpacks more of a file than is declared, see `listed_names`.
    """
    for name, file in files:
        with _damage_named(name):
            suffix = PurePosixPath(name).suffix.lower()
            if suffix in (NPZ, ZIP):
                check_directory(file, name)
            if suffix != ZIP:
                yield name, file
                continue
            with zipfile.ZipFile(file) as archive:
                for member in _members_of(name, archive):
                    # An .npz is read from its end, and each seek in a compressed member unpacks
                    # it again.
                    with tempfile.TemporaryFile() as copy:
                        with archive.open(member) as packed:
                            shutil.copyfileobj(packed, copy)
                        check_directory(copy, member.filename)
                        yield member.filename, copy


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    """Raise FormatError with the archive's name for what zipfile raises."""
    try:
        yield
    except UploadRefusedError as error:
        raise fault_of_file(name, str(error), "an archive of features") from error
    except FormatError:
        raise
    except DAMAGE_ERRORS as error:
        if is_disk_failure(error):
            raise
        raise fault_of_file(name, str(error), "a whole zip archive") from error


def _members_of(name: str, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
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
    return members
