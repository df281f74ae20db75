import io
import zipfile

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Trace
from annotation.services.corpus import uploads
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import arrays_of
from benchmarks.services import feature_files
from benchmarks.services.feature_files import import_features, upload_features
from benchmarks.services.features import FeaturesRequest

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
    return upload_features(dataset=sample, request=REQUEST, files=files, actor=owner)


def test_files_and_archives_of_them_are_taken_in(sample, owner):
    first, second, third = uids(sample)[:3]
    archive = zipped({f"a/{first}.npy": npy(2, 3), f"{second}_360p.npz": npz(4, 3), ".x": b""})
    made = upload(sample, owner, **{"all.zip": archive, f"{third}.npz": npz(5, 3)})
    assert shapes_of(made) == {first: (2, 3), second: (4, 3), third: (5, 3)}
    assert (made.width, made.arrays.count(), made.is_finished) == (3, 3, True)


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
    settings.UPLOAD_LIMIT_MB = 1
    many = zipped({f"{number}.npy": npy(1, 1) for number in range(3)})
    # Of alien recordings, so that none of them becomes an array.
    large = [zipped({"x.npy": bytes(3 << 20)}), zipped({"y.npy": bytes(2 << 20)})]
    keys = zipped({f"{number}.npy": npy(1, 1) for number in range(5)})
    monkeypatch.setattr(uploads, "MAX_DIRECTORY_BYTES", 200)
    for contents, words in (
        ({"a.npz": keys}, "a.npz: 'a.npz lists far more files"),
        ({"all.zip": zipped({"a.npz": keys})}, "all.zip: 'a.npz lists far more files"),
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
        archive.writestr("../x.npy", npy(9, 9))
    damaged = bytearray(file.getvalue())
    damaged[60:70] = bytes(10)
    with pytest.raises(FormatError, match=r"all\.zip: .* expected a whole zip archive"):
        upload(sample, owner, **{"all.zip": bytes(damaged)})


def test_an_upload_larger_than_the_site_takes_names_the_command(sample, owner, settings):
    settings.UPLOAD_LIMIT_MB = 0
    with pytest.raises(FormatError, match=r"manage\.py features import"):
        upload(sample, owner, **{"x.npy": npy(1, 1)})
