"""Uploaded recordings: how they come in, and where they lie.

    .uploads/0123abcd.part            what is coming in
    uploaded/DATASET/0123456789abcdef.mp4

below the media folder or, with an object storage, the second there under the same name
(`made_files`). A recording takes gigabytes, so it is written once, on the disk where it stays.
"""

import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest

FOLDER = "uploaded"
INCOMING_FOLDER = ".uploads"
# What a process leaves that is killed during an upload.
STALE_S = 24 * 3600
# Databases and the products of ingestion want room too.
KEPT_FREE_BYTES = 1 << 30


def folder_of(dataset_id: str) -> str:
    return f"{FOLDER}/{dataset_id}"


def new_name(dataset_id: str, suffix: str) -> str:
    """A name that no file has had; what a file was called elsewhere is never used."""
    return f"{folder_of(dataset_id)}/{secrets.token_hex(8)}{suffix}"


def limit_bytes() -> int:
    limit: int = settings.VIDEO_UPLOAD_LIMIT_MB << 20
    return limit


def in_words(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):,.1f} MB"


class VideoUploadHandler(FileUploadHandler):
    """Writes the files of a request to the disk of the media folder.

    What is larger than an upload may be, or than the disk has room for, is read to its end and not
    kept: a browser shows no answer to what it could not send. `refused` says so by file, `places`
    which of the files that were sent the kept ones are, from 0.
    """

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.refused: list[tuple[str, str]] = []
        self.places: list[int] = []
        self.sent_count = 0
        self.room_bytes = 0
        self.folder = Path(settings.MEDIA_ROOT) / INCOMING_FOLDER

    def handle_raw_input(
        self,
        input_data: Any,
        META: Mapping[str, Any],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for leftover in self.folder.iterdir():
            with suppress(FileNotFoundError):
                if time.time() - leftover.stat().st_mtime > STALE_S:
                    leftover.unlink()
        self.room_bytes = shutil.disk_usage(self.folder).free - KEPT_FREE_BYTES

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        draft = tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part")  # noqa: SIM115
        self.file = UploadedFile(draft, self.file_name, self.content_type, 0, self.charset)
        self.refusal = ""
        self.sent_count += 1

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.refusal:
            return
        size_bytes = start + len(raw_data)
        if size_bytes > limit_bytes():
            self.refusal = f"an upload may have {settings.VIDEO_UPLOAD_LIMIT_MB:,} MB"
        elif size_bytes > self.room_bytes:
            self.refusal = "the server's disk has no room for it"
        if self.refusal:
            self.file.truncate(0)
        else:
            self.file.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        if self.refusal:
            self.refused.append(
                (self.file_name or "", f"has {in_words(file_size)}; {self.refusal}")
            )
            self.file.close()
            return None
        self.places.append(self.sent_count - 1)
        self.room_bytes -= file_size
        self.file.seek(0)
        self.file.size = file_size
        return self.file
