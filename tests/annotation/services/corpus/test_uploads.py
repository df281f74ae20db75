import io
import os
import shutil
import stat
import time
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import Http404
from openpyxl import Workbook
from pytest_django import Settings

from annotation.models import User
from annotation.services.corpus.uploads import (
    KEPT_UPLOADS,
    Upload,
    UploadRefusedError,
    UploadRequest,
    change_request,
    discard_upload,
    get_upload,
    store_upload,
)
from tests.vanishing import done_before_listing

pytestmark = pytest.mark.django_db

REQUEST = UploadRequest(dataset_name="Tea", format="egooops", is_shared=False)


@pytest.fixture(autouse=True)
def state_folder(settings: Settings, tmp_path: Path) -> Path:
    settings.STATE_FOLDER = tmp_path
    return tmp_path


def store(user: User, *files: tuple[str, bytes]) -> Upload[UploadRequest]:
    given = [SimpleUploadedFile(name, content) for name, content in files]
    return store_upload(user=user, files=given, request=REQUEST)


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return content.getvalue()


def stored_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_store_upload_of_one_file_points_at_the_file(owner: User) -> None:
    upload = store(owner, ("a.json", b"{}"))

    assert (upload.path.name, upload.path.read_bytes()) == ("a.json", b"{}")
    assert upload.request == REQUEST


def test_store_upload_of_several_files_points_at_their_folder(owner: User) -> None:
    upload = store(owner, ("a.json", b"{}"), ("b.json", b"[]"))

    assert upload.path.is_dir()
    assert upload.file_names == ("a.json", "b.json")


def test_store_upload_unpacks_an_archive(owner: User) -> None:
    archive = zipped(("top/meta/a.json", b"{}"), ("top/b.csv", b"1,2"), ("__MACOSX/._b", b"x"))

    upload = store(owner, ("data.zip", archive))

    assert upload.file_names == ("top/b.csv", "top/meta/a.json")


def test_store_upload_keeps_a_workbook_whole(owner: User) -> None:
    content = io.BytesIO()
    Workbook().save(content)

    upload = store(owner, ("sheet.xlsx", content.getvalue()))

    assert upload.path.read_bytes() == content.getvalue()


def test_store_upload_takes_only_the_last_part_of_a_name(owner: User, state_folder: Path) -> None:
    upload = store(owner, ("..\\..\\a.json", b"{}"))

    assert upload.path.name == "a.json"
    assert upload.path.is_relative_to(state_folder / "uploads" / str(owner.pk))


def link_to_passwords() -> zipfile.ZipInfo:
    member = zipfile.ZipInfo("link.json")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


def encrypted_archive() -> bytes:
    content = bytearray(zipped(("a.json", b"{}")))
    # The flag stands in the local header and in the directory at the end.
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def crc_broken_archive() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.json", b'{"a": 1}')
    return content.getvalue().replace(b'{"a": 1}', b'{"a": 2}')


def long_directory_archive(stated_bytes: int, *, is_long: bool) -> bytes:
    """Return an archive whose end record states such a directory, by itself or by a locator."""
    content = zipped(("a.json", b"{}"))
    end = content.rindex(b"PK\x05\x06")
    record = bytearray(content[end:])
    record[12:16] = stated_bytes.to_bytes(4, "little")
    locator = b"PK\x06\x07" + bytes(16) if is_long else b""
    return content[:end] + locator + bytes(record)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", long_directory_archive(80_000_000, is_long=False), "far more files"),
        ("a.xlsx", long_directory_archive(100, is_long=True), "far more files"),
        ("a.mp4", b"\x00\x00\x00\x18ftypmp42", "neither text in UTF-8"),
        ("a.json", '{"a": 1}'.encode("utf-16"), "neither text in UTF-8"),
        ("a.zip", zipped(("../a.json", b"{}")), "leads out of its folder"),
        ("a.zip", zipped(("/etc/a.json", b"{}")), "leads out of its folder"),
        ("a.zip", zipped(("a\\..\\..\\b.json", b"{}")), "leads out of its folder"),
        ("a.zip", zipped(("C:/a.json", b"{}")), "leads out of its folder"),
        ("a.zip", zipped((link_to_passwords(), b"/etc/passwd")), "is a link or a device"),
        ("a.zip", encrypted_archive(), "is encrypted"),
        ("a.zip", crc_broken_archive(), "is a damaged archive"),
        ("a.zip", zipped(("a.json", b" " * 50_000_000)), "far more than its size"),
        ("a.zip", zipped(("a.json", b"\x00\x01")), "neither text in UTF-8"),
        ("a.zip", zipped(), "the archive is empty"),
        ("a.zip", zipped(("inner.zip", zipped(("a", b"b")))), "neither text in UTF-8"),
        (".hidden", b"{}", "is not a usable file name"),
        ("茶" * 90, b"{}", "is not a usable file name"),
        ("a.zip", zipped(("茶" * 90, b"{}")), "name that is too long"),
    ],
)
def test_store_upload_refuses_and_keeps_nothing(
    owner: User, state_folder: Path, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(UploadRefusedError, match=message):
        store(owner, (name, content))

    assert stored_files(state_folder) == []


def test_store_upload_tells_nothing_about_the_disk(owner: User, state_folder: Path) -> None:
    with pytest.raises(UploadRefusedError) as caught:
        store(owner, ("a.zip", zipped(("a", b"{}"), ("a/b.json", b"{}"))))

    assert str(caught.value) == "a.zip is a damaged archive (File exists)."


def test_store_upload_refuses_a_truncated_archive(owner: User, state_folder: Path) -> None:
    archive = zipped(("a.json", os.urandom(1000).hex().encode()))

    # Without the directory at its end it is no archive, and its bytes are no text.
    with pytest.raises(UploadRefusedError, match="neither text in UTF-8"):
        store(owner, ("a.zip", archive[: len(archive) // 2]))

    assert stored_files(state_folder) == []


def test_store_upload_refuses_an_archive_of_too_many_files(owner: User) -> None:
    archive = zipped(*((f"{index}.json", b"{}") for index in range(5001)))

    with pytest.raises(UploadRefusedError, match="holds more than 5,000 files"):
        store(owner, ("a.zip", archive))


def test_store_upload_refuses_what_is_too_big(owner: User, settings: Settings) -> None:
    settings.UPLOAD_LIMIT_MB = 1

    with pytest.raises(UploadRefusedError, match="larger than 1 MB together"):
        store(owner, ("a.json", b" " * 600_000), ("b.json", b" " * 600_000))


def test_store_upload_refuses_a_name_that_is_given_twice(owner: User) -> None:
    with pytest.raises(UploadRefusedError, match=r"a\.json was given twice"):
        store(owner, ("a.json", b"{}"), ("a.json", b"{}"))


def test_store_upload_makes_room_by_dropping_old_uploads(owner: User, state_folder: Path) -> None:
    first = store(owner, ("a.json", b"{}"))
    long_ago = time.time() - 100_000
    os.utime(state_folder / "uploads" / str(owner.pk) / first.upload_id, (long_ago, long_ago))

    kept = [store(owner, ("a.json", b"{}")).upload_id for _ in range(KEPT_UPLOADS + 2)]

    left = {path.name for path in (state_folder / "uploads" / str(owner.pk)).iterdir()}
    assert len(left) == KEPT_UPLOADS
    assert kept[-1] in left
    assert first.upload_id not in left


def test_get_upload_of_somebody_else_is_not_found(owner: User, outsider: User) -> None:
    upload = store(owner, ("a.json", b"{}"))

    with pytest.raises(Http404):
        get_upload(user=outsider, upload_id=upload.upload_id, kind=UploadRequest)


@pytest.mark.parametrize("upload_id", ["..", "../../etc", "x" * 16, "", "a/b"])
def test_get_upload_refuses_other_ids(owner: User, upload_id: str) -> None:
    with pytest.raises(Http404):
        get_upload(user=owner, upload_id=upload_id, kind=UploadRequest)


def test_discard_upload_removes_the_files(owner: User, state_folder: Path) -> None:
    upload = store(owner, ("a.json", b"{}"))

    discard_upload(user=owner, upload_id=upload.upload_id)

    assert stored_files(state_folder) == []


def test_upload_discarded_while_it_is_looked_up_is_not_found(owner: User) -> None:
    archive = zipped(("top/a.json", b"{}"), ("top/b.json", b"{}"))
    upload = store(owner, ("data.zip", archive))

    def discard() -> None:
        discard_upload(user=owner, upload_id=upload.upload_id)

    with done_before_listing(upload.path / "top", discard), pytest.raises(Http404):
        look_up(owner, upload)


def test_half_discarded_upload_is_not_found(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = store(owner, ("a.json", b"{}"), ("b.json", b"{}"))
    monkeypatch.setattr(
        shutil, "rmtree", lambda folder, **options: (upload.path / "a.json").unlink()
    )

    discard_upload(user=owner, upload_id=upload.upload_id)

    with pytest.raises(Http404):
        look_up(owner, upload)


def look_up(owner: User, upload: Upload[UploadRequest]) -> Upload[UploadRequest]:
    return get_upload(user=owner, upload_id=upload.upload_id, kind=UploadRequest)


def test_request_of_a_discarded_upload_cannot_be_changed(owner: User) -> None:
    upload = store(owner, ("a.json", b"{}"))
    discard_upload(user=owner, upload_id=upload.upload_id)

    with pytest.raises(Http404):
        change_request(user=owner, upload=upload, request=REQUEST)


def test_room_is_made_while_another_upload_goes(owner: User, state_folder: Path) -> None:
    store(owner, ("a.json", b"{}"))
    # It is listed and cannot be looked at, as what another request discards at that moment.
    (state_folder / "uploads" / str(owner.pk) / "gone").symlink_to("nowhere")

    assert store(owner, ("b.json", b"[]")).file_names == ("b.json",)
