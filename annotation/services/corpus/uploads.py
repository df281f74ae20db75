"""Keep an uploaded import on the server between its preview and its confirmation.

Uploads lie in a private folder per account below the state folder and are removed when imported,
when newer ones push them out, or after a day. Archives are unpacked under limits that are counted
on the bytes as they come out, because the sizes that an archive states can lie.
"""

import json
import lzma
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, ClassVar, Generic, TypeVar

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404

from annotation.backends import made_files
from annotation.backends.full_disk import is_disk_full
from annotation.backends.publishing import write_lines, write_pieces
from annotation.engine.corpus.formats.errors import FormatError, Problem
from annotation.engine.corpus.formats.folders import files_in
from annotation.engine.corpus.formats.registry import recognised_format
from annotation.models import User

CORPUS = "corpus"
FOLDER = "uploads"
REQUEST = "request.json"
# Of the files of an upload, in an object storage.
ARCHIVE = "files.zip"
# A table of another kind is wrong in every row; nobody reads more than this many of its faults.
SHOWN_PROBLEMS = 200
KEPT_UPLOADS = 5
KEPT_SECONDS = 24 * 3600
MAX_FILES = 5000
# Annotations compress to a tenth or a thirtieth; beyond this an archive is a trap.
EXPANSION_LIMIT = 100
# Unpacked, an archive may be larger than an upload, but not by much.
UNPACKED_LIMITS = 2
CHUNK_BYTES = 1 << 16
SNIFFED_BYTES = 1 << 13
NAME_CHARACTERS = 200
# The most that Linux and macOS file systems take for one name.
NAME_BYTES = 255
UPLOAD_ID = re.compile(r"[\w-]{16}", re.ASCII)
ENCRYPTED_FLAG = 0x1
# An archive's directory is read whole before anything can be counted; 5,000 names fit in here.
MAX_DIRECTORY_BYTES = 2 * 1024 * 1024
# APPNOTE.TXT, 4.3.14 to 4.3.16: the end record with its longest comment, the locator before it.
DIRECTORY_END = b"PK\x05\x06"
LONG_DIRECTORY_LOCATOR = b"PK\x06\x07"
DIRECTORY_END_BYTES = 22
LOCATOR_BYTES = 20
DIRECTORY_SIZE_AT = 12
MAX_COMMENT_BYTES = (1 << 16) - 1
# What zipfile raises on archives that are cut, forged, or packed in a way it does not know.
DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)


class UploadRefusedError(ValueError):
    """The uploaded files cannot be taken in; the message says which and why."""


@dataclass(frozen=True, slots=True)
class FilesRequest:
    """What comes with uploaded files; `purpose` says what files with such a request are for."""

    purpose: ClassVar[str]


@dataclass(frozen=True, slots=True)
class UploadRequest(FilesRequest):
    """What annotations are to become; an empty format is to be recognised from the files."""

    purpose: ClassVar[str] = CORPUS
    dataset_name: str
    format: str
    is_shared: bool


RequestT = TypeVar("RequestT", bound=FilesRequest)
OutcomeT = TypeVar("OutcomeT")


@dataclass(frozen=True, slots=True)
class Upload(Generic[RequestT]):
    """Files that wait for a confirmation; `path` is the file, or the folder of several."""

    upload_id: str
    request: RequestT
    path: Path
    file_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UploadPreview(Generic[OutcomeT]):
    """What would come in; `outcome` is None where it may not, for the reasons in `problems`.

    `hidden_count` problems are not among these, which are the first `SHOWN_PROBLEMS`.
    """

    outcome: OutcomeT | None = None
    problems: tuple[Problem, ...] = ()
    hidden_count: int = 0


def _folder_of(user: User) -> Path:
    return Path(settings.STATE_FOLDER) / FOLDER / str(user.pk)


def _kept_name(user: User, upload_id: str) -> str:
    return f"{FOLDER}/{user.pk}/{upload_id}"


def store_upload(
    *, user: User, files: Iterable["UploadedFile[Any]"], request: UploadRequest
) -> Upload[UploadRequest]:
    """Keep the files as `keep_files` does, and return the upload.

    Raises `UploadRefusedError`, keeping nothing, as it does, and for files whose format is to be
    recognised and is not.
    """
    upload = keep_files(user=user, files=files, request=request)
    if request.format:
        return upload
    try:
        recognised = replace(request, format=recognised_format(upload.path).name)
    except FormatError as error:
        discard_upload(user=user, upload_id=upload.upload_id)
        raise UploadRefusedError(str(error)) from error
    return change_request(user=user, upload=upload, request=recognised)


def keep_files(
    *, user: User, files: Iterable["UploadedFile[Any]"], request: RequestT
) -> Upload[RequestT]:
    """Keep the files, archives unpacked, with what is asked for them.

    Raises `UploadRefusedError`, keeping nothing, for what is too big, no text or workbook, or an
    archive that is damaged, encrypted or leads out of its folder.
    """
    # Make room for one more: what is too old and what exceeds the number kept goes.
    kept = []
    for path in _folder_of(user).glob("*"):
        # Another request of the same person may discard it at this moment.
        with suppress(FileNotFoundError):
            kept.append((path.stat().st_mtime, path.name))
    for place, (kept_at_s, name) in enumerate(sorted(kept, reverse=True)):
        if place >= KEPT_UPLOADS - 1 or kept_at_s < time.time() - KEPT_SECONDS:
            discard_upload(user=user, upload_id=name)
    upload_id = secrets.token_urlsafe(12)
    folder = _folder_of(user) / upload_id
    content = folder / "files"
    content.mkdir(parents=True, mode=0o700)
    try:
        _store_files(content, files)
        if made_files.place() is not None:
            # Whoever confirms it may be answered by another machine.
            archive = Path(shutil.make_archive(str(folder / "files"), "zip", content))
            made_files.keep(archive, f"{_kept_name(user, upload_id)}/{ARCHIVE}")
        _write_request(user, upload_id, request)
    except BaseException:
        discard_upload(user=user, upload_id=upload_id)
        raise
    return get_upload(user=user, upload_id=upload_id, kind=type(request))


def _write_request(user: User, upload_id: str, request: FilesRequest) -> None:
    stored = {"purpose": request.purpose, **asdict(request)}
    file = _folder_of(user) / upload_id / REQUEST
    write_lines([json.dumps(stored)], file)
    made_files.keep(file, f"{_kept_name(user, upload_id)}/{REQUEST}", stays=True)


def _bring(user: User, upload_id: str) -> None:
    """Make what is here of an upload what the storage keeps of it."""
    folder, name = _folder_of(user) / upload_id, _kept_name(user, upload_id)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with made_files.local(f"{name}/{REQUEST}") as request:
            write_pieces([request.read_bytes()], folder / REQUEST)
        if not (folder / "files").is_dir():
            with made_files.local(f"{name}/{ARCHIVE}") as archive:
                draft = Path(tempfile.mkdtemp(dir=folder))
                shutil.unpack_archive(archive, draft, "zip")
                try:
                    draft.rename(folder / "files")
                except OSError:
                    shutil.rmtree(draft, ignore_errors=True)
                    # Another request may have brought them meanwhile.
                    if not (folder / "files").is_dir():
                        raise
    except FileNotFoundError:
        # Somebody discarded it on another machine.
        shutil.rmtree(folder, ignore_errors=True)


def change_request(*, user: User, upload: Upload[RequestT], request: RequestT) -> Upload[RequestT]:
    """Keep the same files under another request; raises Http404 if they were discarded."""
    try:
        _write_request(user, upload.upload_id, request)
    except FileNotFoundError as error:
        raise Http404 from error
    return replace(upload, request=request)


def get_upload(*, user: User, upload_id: str, kind: type[RequestT]) -> Upload[RequestT]:
    """Files that the user uploaded with such a request; raises Http404."""
    if not UPLOAD_ID.fullmatch(upload_id):
        raise Http404
    if made_files.place() is not None:
        _bring(user, upload_id)
    folder = _folder_of(user) / upload_id
    content = folder / "files"
    paths = files_in(content)
    try:
        # Discarding begins with it: while it is here, all files that were listed before were.
        stored = json.loads((folder / REQUEST).read_text())
    except FileNotFoundError as error:
        raise Http404 from error
    # Uploads from before there were several purposes name none.
    if stored.pop("purpose", CORPUS) != kind.purpose:
        raise Http404
    return Upload(
        upload_id=upload_id,
        request=kind(**stored),
        path=paths[0] if len(paths) == 1 else content,
        file_names=tuple(str(path.relative_to(content)) for path in paths),
    )


def preview_of(dry_run: Callable[[], OutcomeT]) -> UploadPreview[OutcomeT]:
    """The outcome of a dry run, or the first problems that it raises."""
    try:
        return UploadPreview(dry_run())
    except FormatError as error:
        hidden_count = max(0, len(error.problems) - SHOWN_PROBLEMS)
        return UploadPreview(None, error.problems[:SHOWN_PROBLEMS], hidden_count)


def discard_upload(*, user: User, upload_id: str) -> None:
    """Remove the upload, if it is still there."""
    if UPLOAD_ID.fullmatch(upload_id):
        folder = _folder_of(user) / upload_id
        (folder / REQUEST).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        made_files.forget(_kept_name(user, upload_id))


def _limit_bytes() -> int:
    limit: int = settings.UPLOAD_LIMIT_MB * 1024 * 1024
    return limit


def _store_files(folder: Path, files: Iterable["UploadedFile[Any]"]) -> None:
    total_bytes = 0
    for file in files:
        sent_name = file.name or ""
        name = PurePosixPath(sent_name.replace("\\", "/")).name
        is_too_long = len(name) > NAME_CHARACTERS or len(name.encode()) > NAME_BYTES
        if not name or name.startswith(".") or is_too_long or "\x00" in name:
            raise UploadRefusedError(f"{sent_name[:80]!r} is not a usable file name.")
        total_bytes += file.size or 0
        if total_bytes > _limit_bytes():
            raise UploadRefusedError(
                f"The files are larger than {settings.UPLOAD_LIMIT_MB} MB together."
            )
        path = folder / name
        if path.exists():
            raise UploadRefusedError(f"{name} was given twice.")
        with path.open("wb") as copy:
            for chunk in file.chunks():
                copy.write(chunk)
        with path.open("rb") as stored:
            check_directory(stored, name)
        if zipfile.is_zipfile(path) and not _is_workbook(path):
            _unpack(path, folder)
            path.unlink()
        else:
            _check_content(path, name)
    if not files_in(folder):
        raise UploadRefusedError("No file was given, or the archive is empty.")


def check_directory(file: IO[bytes], name: str) -> None:
    """Refuse an archive whose directory would fill the memory, before it is opened.

    Every place that could be the end record counts, as a forged comment may hold several.
    """
    size_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(0, size_bytes - MAX_COMMENT_BYTES - DIRECTORY_END_BYTES - LOCATOR_BYTES))
    tail = file.read()
    file.seek(0)
    for match in re.finditer(re.escape(DIRECTORY_END), tail):
        size_field = tail[match.start() + DIRECTORY_SIZE_AT :][:4]
        is_long = tail[: match.start()][-LOCATOR_BYTES:].startswith(LONG_DIRECTORY_LOCATOR)
        if is_long or int.from_bytes(size_field, "little") > MAX_DIRECTORY_BYTES:
            raise UploadRefusedError(f"{name} lists far more files than an import may have.")


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, UnicodeError, ValueError):
        return False
    return {"[Content_Types].xml", "xl/workbook.xml"} <= names


def _check_content(path: Path, name: str) -> None:
    with path.open("rb") as file:
        start = file.read(SNIFFED_BYTES)
    if b"\x00" in start and not (zipfile.is_zipfile(path) and _is_workbook(path)):
        raise UploadRefusedError(
            f"{name} is neither text in UTF-8 (JSON, CSV) nor an .xlsx workbook nor a zip archive."
        )


def _unpack(archive_path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive_path) as archive:
            members = [item for item in archive.infolist() if not item.is_dir()]
            if len(members) > MAX_FILES:
                raise UploadRefusedError(f"The archive holds more than {MAX_FILES:,} files.")
            left_bytes = min(
                EXPANSION_LIMIT * archive_path.stat().st_size, UNPACKED_LIMITS * _limit_bytes()
            )
            for member in members:
                left_bytes -= _unpack_member(archive, member, folder, left_bytes)
    except UploadRefusedError:
        raise
    except DAMAGES as error:
        if is_disk_full(error):
            raise
        # The text of an OSError names the folder on the server.
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise UploadRefusedError(f"{archive_path.name} is a damaged archive ({reason}).") from error


def _unpack_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left_bytes: int
) -> int:
    """Write one member below the folder and return its size as it came out."""
    name = member.filename
    parts = PurePosixPath(name)
    leads_out = parts.is_absolute() or ".." in parts.parts or "\\" in name or ":" in name
    if leads_out or len(name) > NAME_CHARACTERS:
        raise UploadRefusedError(f"{name[:80]!r} in the archive leads out of its folder.")
    if any(len(part.encode()) > NAME_BYTES for part in parts.parts):
        raise UploadRefusedError(f"{name[:80]!r} in the archive has a name that is too long.")
    mode = member.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        raise UploadRefusedError(f"{name} in the archive is a link or a device, not a file.")
    if member.flag_bits & ENCRYPTED_FLAG:
        raise UploadRefusedError(f"{name} in the archive is encrypted.")
    path = folder / name
    if path.name.startswith(".") or "__MACOSX" in path.parts:
        return 0  # what file managers add on their own
    if path.exists():
        raise UploadRefusedError(f"{member.filename} is in the archive twice.")
    path.parent.mkdir(parents=True, exist_ok=True)
    size_bytes = 0
    with archive.open(member) as source, path.open("wb") as copy:
        while chunk := source.read(CHUNK_BYTES):
            size_bytes += len(chunk)
            if size_bytes > left_bytes:
                raise UploadRefusedError(
                    "The archive unpacks to far more than its size, or than an upload may have."
                )
            copy.write(chunk)
    _check_content(path, member.filename)
    return size_bytes
