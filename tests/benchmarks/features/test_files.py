import io
import zipfile
from datetime import timedelta

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Job, Trace
from annotation.services.corpus import uploads
from benchmarks.engine.features.reading import read_recordings
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import arrays_of
from benchmarks.services import feature_files, feature_uploads
from benchmarks.services.feature_files import import_features
from benchmarks.services.feature_uploads import start_upload
from benchmarks.services.feature_work import make_features
from benchmarks.services.features import FeaturesRequest, folder_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]

REQUEST = FeaturesRequest("Theirs")


def npy(*shape):
    file = io.BytesIO()
    np.save(file, np.ones(shape, dtype=np.float32))
    return file.getvalue()


def zipped(contents):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return file.getvalue()


def npz(*shape):
    return zipped({"arr_0.npy": npy(*shape)})


def uids(dataset):
    return list(Trace.objects.filter(dataset=dataset).order_by("uid").values_list("uid", flat=True))


def shapes_of(feature_set):
    return {uid: array.shape for uid, array in arrays_of(feature_set).items()}


def upload(sample, owner, **contents):
    files = [SimpleUploadedFile(name, content) for name, content in contents.items()]
    _, job_ids = start_upload(dataset=sample, request=REQUEST, files=files, actor=owner)
    make_features(job_ids=job_ids)
    return FeatureSet.objects.select_related("job").get()


def test_files_and_archives_of_them_are_taken_in(sample, owner):
    first, second, third = uids(sample)[:3]
    archive = zipped({f"a/{first}.npy": npy(2, 3), f"{second}_360p.npz": npz(4, 3), ".x": b""})
    made = upload(sample, owner, **{"all.zip": archive, f"{third}.npz": npz(5, 3)})
    assert shapes_of(made) == {first: (2, 3), second: (4, 3), third: (5, 3)}
    assert (made.width, made.arrays.count(), made.is_finished) == (3, 3, True)
    assert [path.suffix for path in folder_of(made).iterdir()] == [".npy"] * 3


def test_a_folder_is_taken_in_by_the_command(sample, tmp_path):
    first, second = uids(sample)[:2]
    (tmp_path / "README.txt").write_text("no features")
    (tmp_path / f"{first}.npy").write_bytes(npy(2, 3))
    (tmp_path / f"{second}_360p").mkdir()
    (tmp_path / f"{second}_360p" / "video_features.npz").write_bytes(npz(4, 3))
    made = import_features(dataset=sample, request=REQUEST, path=tmp_path, actor=None)
    assert shapes_of(made) == {first: (2, 3), second: (4, 3)}


def test_a_file_may_be_named_after_the_video_of_its_recording(sample, owner):
    trace = Trace.objects.filter(dataset=sample).order_by("uid").first()
    Trace.objects.filter(pk=trace.pk).update(video_stem="GOPR1")
    assert shapes_of(upload(sample, owner, **{"GOPR1.npy": npy(2, 3)})) == {trace.uid: (2, 3)}


def forged(**contents):
    """An archive that says that it is encrypted."""
    found = bytearray(zipped(contents))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        found[found.index(mark) + place] |= 1
    return bytes(found)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("all.zip", b"PK\x03\x04 and no more", "all.zip: 'File is not a zip file'; expected"),
        ("all.zip", forged(x=npy(1, 1)), "all.zip: file is 'x'; expected no encrypted"),
        ("all.zip", zipped({"x.npy": npy(1, 1)}), "x.npy: recording is 'x'"),
        ("x.mp4", b"video", "expected a .npy or .npz file"),
    ],
)
def test_refused_files_leave_nothing(sample, owner, media, name, content, words):
    good = {f"{uids(sample)[0]}.npy": npy(2, 3)}
    with pytest.raises(FormatError) as caught:
        upload(sample, owner, **good, **{name: content})
    assert words in str(caught.value)
    assert not FeatureSet.objects.exists()
    assert not list(media.rglob("*.npy"))


def test_archives_that_unpack_to_too_much_or_too_many_are_refused(
    sample, owner, settings, monkeypatch
):
    monkeypatch.setattr(feature_files, "MAX_FILES", 2)
    monkeypatch.setattr(feature_uploads, "EXPANSION_LIMIT", 1_000_000)
    settings.UPLOAD_LIMIT_MB = 1
    many = zipped({f"{number}.npy": npy(1, 1) for number in range(3)})
    # Of alien recordings, so that none of them becomes an array.
    large = [zipped({"x.npy": bytes(3 << 20)}), zipped({"y.npy": bytes(2 << 20)})]
    keys = zipped({f"{number}.npy": npy(1, 1) for number in range(5)})
    monkeypatch.setattr(uploads, "MAX_DIRECTORY_BYTES", 200)
    for contents, words in (
        ({"a.npz": keys}, "a.npz: 'a.npz lists far more files"),
        ({"all.zip": many}, "all.zip: files is 3; expected at most 2"),
        (
            {"a.zip": large[0], "b.zip": large[1]},
            "b.zip: size unpacked is '5 MB'; expected",
        ),
    ):
        with pytest.raises(FormatError, match=words):
            upload(sample, owner, **contents)


def test_damaged_archive_is_refused_with_a_message(sample, owner):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(f"../{uids(sample)[0]}.npy", npy(9, 9))
    damaged = bytearray(file.getvalue())
    damaged[90:100] = bytes(10)
    refused = upload(sample, owner, **{"all.zip": bytes(damaged)})
    assert refused.job.error == "The files were refused; nothing was stored."
    assert refused.notes[0].startswith("all.zip: ")
    assert refused.notes[0].endswith("expected a whole zip archive")


def test_an_upload_larger_than_the_site_takes_names_the_command(sample, owner, settings):
    settings.UPLOAD_LIMIT_MB = 0
    with pytest.raises(FormatError, match=r"manage\.py features import"):
        upload(sample, owner, **{"x.npy": npy(1, 1)})


def test_archive_in_an_archive_that_lists_too_many_is_refused(sample, owner, monkeypatch):
    keys = zipped({f"{number}.npy": npy(1, 1) for number in range(5)})
    monkeypatch.setattr(uploads, "MAX_DIRECTORY_BYTES", 200)
    refused = upload(sample, owner, **{"all.zip": zipped({f"{uids(sample)[0]}.npz": keys})})
    assert "lists far more files" in refused.notes[0]


def test_files_that_were_refused_leave_nothing_and_make_room_for_the_next(sample, owner, media):
    first, second = uids(sample)[:2]
    refused = upload(sample, owner, **{f"{first}.npy": npy(2, 3), f"{second}.npy": npy(2, 4)})
    assert refused.job.status == "failed"
    assert refused.notes == [
        f"{second}.npy: shape is (2, 4); expected (T, 3), as wide as {first}.npy"
    ]
    assert not [path for path in media.rglob("*") if path.is_file()]
    made = upload(sample, owner, **{f"{first}.npy": npy(2, 3)})
    assert (made.is_finished, FeatureSet.objects.count()) == (True, 1)


def test_files_wait_for_a_worker_and_are_read_again_after_one_died(sample, owner, monkeypatch):
    first, second = uids(sample)[:2]
    with monkeypatch.context() as patched:
        patched.setattr(feature_uploads, "read_recordings", dying)
        with pytest.raises(SystemExit):
            upload(sample, owner, **{f"{first}.npy": npy(2, 3), f"{second}.npy": npy(4, 3)})
    waiting = FeatureSet.objects.get()
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    make_features(job_ids=[waiting.job_id])
    assert shapes_of(waiting) == {first: (2, 3), second: (4, 3)}


def dying(files, expected, keep):
    for kept in read_recordings(files, expected, keep):
        yield kept
        raise SystemExit


def test_a_small_archive_that_unpacks_to_far_more_is_refused(sample, owner, media):
    # As half a megabyte of zeros became 400 MB on the disk and a gigabyte in a web process.
    file = io.BytesIO()
    np.savez_compressed(file, arr_0=np.zeros((8192, 1024), np.float32))
    assert len(file.getvalue()) < 50_000
    refused = upload(sample, owner, **{f"{uids(sample)[0]}.npz": file.getvalue()})
    assert "size is 33554432; expected at most" in refused.notes[0]
    assert not [path for path in media.rglob("*") if path.is_file()]


def test_uploads_at_the_same_time_do_not_take_the_same_room(sample, owner, settings, monkeypatch):
    settings.FEATURES_MB_PER_PERSON = 1
    first, second = uids(sample)[:2]
    check = feature_uploads.check_names

    def meanwhile(*arguments):
        monkeypatch.setattr(feature_uploads, "check_names", check)
        files = [SimpleUploadedFile(f"{first}.npy", npy(600, 256))]
        start_upload(dataset=sample, request=FeaturesRequest("First"), files=files, actor=owner)
        check(*arguments)

    monkeypatch.setattr(feature_uploads, "check_names", meanwhile)
    files = [SimpleUploadedFile(f"{second}.npy", npy(600, 256))]
    with pytest.raises(ValidationError, match=r"They take 0\.6 MB, and 0\.4 MB are left"):
        start_upload(dataset=sample, request=FeaturesRequest("Later"), files=files, actor=owner)

    assert [row.name for row in FeatureSet.objects.all()] == ["First"]


def test_features_of_a_person_and_of_the_site_take_so_much(sample, owner, outsider, settings):
    settings.FEATURES_MB_PER_PERSON = 1
    first, second = uids(sample)[:2]
    made = upload(sample, owner, **{f"{first}.npy": npy(600, 256)})
    again = FeaturesRequest("Again")
    files = [SimpleUploadedFile(f"{second}.npy", npy(600, 256))]
    with pytest.raises(ValidationError, match=r"They take 0\.6 MB, and 0\.4 MB are left"):
        start_upload(dataset=sample, request=again, files=files, actor=owner)
    # Half precision is half as large as what it becomes: the job finds out.
    half = io.BytesIO()
    np.save(half, np.ones((600, 256), np.float16))
    files = [SimpleUploadedFile(f"{second}.npy", half.getvalue())]
    row, job_ids = start_upload(dataset=sample, request=again, files=files, actor=owner)
    make_features(job_ids=job_ids)
    row.refresh_from_db()
    assert "size is 614400; expected at most 0 MB" in row.notes[0]
    settings.FEATURES_MB_PER_PERSON, settings.FEATURES_MB = 20, 1
    files = [SimpleUploadedFile(f"{second}.npy", npy(600, 256))]
    with pytest.raises(ValidationError, match="are left"):
        start_upload(dataset=sample, request=again, files=files, actor=outsider)
    made.delete()
    start_upload(dataset=sample, request=again, files=files, actor=outsider)
