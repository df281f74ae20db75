"""An object storage as it is and as it fails: a real server, its keys, and a proxy that breaks."""

import hashlib
import io
from dataclasses import replace

import pytest

from annotation.backends.object_storage import (
    ObjectChangedError,
    ObjectDeniedError,
    ObjectMissingError,
    Patience,
    StorageConfig,
    StorageRefusedError,
    StorageUnavailableError,
    StoredObject,
)
from annotation.backends.s3_storage import S3Storage
from tests.fakes.faulty_proxy import Fault

BUCKET = "videos"
CONTENT = bytes(range(256)) * 12_000
TAG = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
ITEM = StoredObject(BUCKET, "tea/good.mp4", len(CONTENT), TAG)
# A busy machine takes its time to answer: only a test of silence gives up soon, and asks often.
PATIENT = Patience(connect_s=10, read_s=60, attempts=2)
IMPATIENT = Patience(connect_s=10, read_s=0.5, attempts=20)


@pytest.fixture(scope="module")
def filled(storage_server):
    """Fill buckets with what the tests of this file read."""
    client = storage_server.client()
    for bucket in (BUCKET, "shut-bucket", "unlisted-bucket"):
        client.create_bucket(Bucket=bucket)
    for key in (ITEM.key, "denied/one.mp4"):
        client.put_object(Bucket=BUCKET, Key=key, Body=CONTENT)
    for index in range(3):
        client.put_object(Bucket=BUCKET, Key=f"many/ä {index}.mp4", Body=b"x" * index)
    client.put_object(Bucket="unlisted-bucket", Key="one.mp4", Body=b"one")


@pytest.fixture
def storage(filled, storage_proxy, storage_keys):
    return S3Storage(StorageConfig(storage_proxy.endpoint_url, addressing="path"), PATIENT)


def downloaded(storage, item=ITEM):
    file = io.BytesIO()
    storage.download(item, file)
    return file.getvalue()


def test_find_tells_size_and_etag(storage):
    assert storage.find(BUCKET, ITEM.key) == ITEM


def test_pages_list_what_is_below_a_prefix(storage, monkeypatch):
    monkeypatch.setattr("annotation.backends.s3_storage.PAGE_KEYS", 2)

    pages = list(storage.pages(BUCKET, "many/"))

    assert [[(item.key, item.size_bytes) for item in page] for page in pages] == [
        [("many/ä 0.mp4", 0), ("many/ä 1.mp4", 1)],
        [("many/ä 2.mp4", 2)],
    ]


def test_pages_of_an_empty_prefix_are_empty(storage):
    assert list(storage.pages(BUCKET, "nothing/")) == [[]]


def test_read_gives_the_asked_bytes_and_no_more(storage, storage_proxy):
    assert storage.read(ITEM, 1000, 50) == CONTENT[1000:1050]
    assert storage.read(ITEM, len(CONTENT) - 3, 3) == CONTENT[-3:]
    assert [item.sent_bytes for item in storage_proxy.gets()] == [50, 3]


def test_download_is_the_whole_object_with_its_time(storage):
    file = io.BytesIO()

    stored_at = storage.download(ITEM, file)

    assert file.getvalue() == CONTENT
    assert stored_at == pytest.approx(1.8e9, rel=0.2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: s.find(BUCKET, "gone.mp4"), ObjectMissingError,
         "There is no s3://videos/gone.mp4."),
        (lambda s: s.find(BUCKET, "denied/one.mp4"), ObjectDeniedError,
         "Access to s3://videos/denied/one.mp4 was denied"),
        (lambda s: s.read(replace(ITEM, key="denied/one.mp4"), 0, 5), ObjectDeniedError,
         "Access to s3://videos/denied/one.mp4 was denied"),
        (lambda s: s.read(replace(ITEM, key="gone.mp4"), 0, 5), ObjectMissingError,
         "There is no s3://videos/gone.mp4."),
        (lambda s: list(s.pages("no-such-bucket", "tea")), StorageRefusedError,
         "There is no bucket for s3://no-such-bucket/tea at http://"),
        (lambda s: list(s.pages("shut-bucket", "tea")), ObjectDeniedError,
         "Access to s3://shut-bucket/tea was denied"),
        (lambda s: s.read(replace(ITEM, etag="0" * 32), 0, 5), ObjectChangedError,
         "s3://videos/tea/good.mp4 was changed after it was linked."),
        (lambda s: s.read(ITEM, len(CONTENT) + 5, 5), ObjectChangedError,
         "s3://videos/tea/good.mp4 was changed after it was linked."),
        (lambda s: s.read(replace(ITEM, size_bytes=ITEM.size_bytes + 1), 0, 5), ObjectChangedError,
         "s3://videos/tea/good.mp4 was changed after it was linked."),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_named(storage, call, error, message):
    with pytest.raises(error) as caught:
        call(storage)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"AWS_ACCESS_KEY_ID": "AKIANOBODY"}, "refuses our keys for s3://videos/tea"),
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "refuses our keys for s3://videos/tea"),
        ({"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, "expected AWS_ACCESS_KEY_ID"),
        ({"AWS_ACCESS_KEY_ID": None}, "There are no keys to read"),
    ],
)
def test_wrong_keys_are_told_apart(
    storage_proxy, filled, storage_keys, monkeypatch, names, message
):
    for name, value in names.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)

    with pytest.raises(StorageRefusedError) as caught:
        list(S3Storage(StorageConfig(storage_proxy.endpoint_url), PATIENT).pages(BUCKET, "tea"))

    assert message in str(caught.value)
    assert "wrong" not in str(caught.value)


def test_storage_that_is_not_there_is_named(storage_keys):
    storage = S3Storage(StorageConfig("http://127.0.0.1:9"), PATIENT)

    with pytest.raises(
        StorageUnavailableError, match=r"http://127\.0\.0\.1:9 gave no complete answer"
    ):
        storage.find(BUCKET, ITEM.key)


def test_overloaded_storage_is_asked_again(storage, storage_proxy):
    storage_proxy.faults.append(Fault(status=503))

    assert storage.read(ITEM, 0, 10) == CONTENT[:10]
    assert len(storage_proxy.gets()) == 2


def test_storage_that_stays_overloaded_is_given_up(storage, storage_proxy):
    storage_proxy.faults.extend([Fault(status=503)] * 5)

    with pytest.raises(StorageUnavailableError, match=r"fails for s3://videos/tea/good\.mp4 \(503"):
        storage.read(ITEM, 0, 10)


def test_read_that_breaks_off_is_asked_again(storage, storage_proxy):
    storage_proxy.faults.append(Fault(cut_after=700))

    assert storage.read(ITEM, 5, 2000) == CONTENT[5:2005]
    assert len(storage_proxy.gets()) == 2


def test_read_that_falls_silent_is_asked_again(filled, storage_keys, storage_proxy):
    config = StorageConfig(storage_proxy.endpoint_url, addressing="path")
    storage_proxy.faults.append(Fault(cut_after=700, pause_s=1.5))

    assert S3Storage(config, IMPATIENT).read(ITEM, 5, 2000) == CONTENT[5:2005]
    assert len(storage_proxy.gets()) >= 2


def test_read_that_breaks_off_again_and_again_is_given_up(storage, storage_proxy):
    storage_proxy.faults.extend([Fault(cut_after=700)] * 5)

    with pytest.raises(
        StorageUnavailableError, match="no complete answer for s3://videos/tea/good"
    ):
        storage.read(ITEM, 5, 2000)


def test_download_goes_on_where_it_broke_off(storage, storage_proxy):
    cut = 2 * 1024 * 1024
    storage_proxy.faults.append(Fault(cut_after=cut))

    assert downloaded(storage) == CONTENT
    assert [item.range for item in storage_proxy.gets()] == ["", f"bytes={cut}-{len(CONTENT) - 1}"]


def test_download_that_breaks_off_again_and_again_is_given_up(storage, storage_proxy):
    storage_proxy.faults.extend([Fault(cut_after=10)] * 20)

    with pytest.raises(
        StorageUnavailableError, match="no complete answer for s3://videos/tea/good"
    ):
        downloaded(storage)

    assert len(storage_proxy.gets()) == 5


def test_download_that_arrives_damaged_begins_anew(storage, storage_proxy):
    storage_proxy.faults.append(Fault(flips_byte=1000))

    assert downloaded(storage) == CONTENT
    assert [item.range for item in storage_proxy.gets()] == ["", ""]


def test_download_of_an_object_that_changes_meanwhile_is_given_up(
    storage, storage_proxy, storage_server
):
    client = storage_server.client()
    client.put_object(Bucket=BUCKET, Key="changing.mp4", Body=CONTENT)
    item = storage.find(BUCKET, "changing.mp4")
    storage_proxy.faults.append(Fault(cut_after=2 * 1024 * 1024, pause_s=0.3))
    storage_proxy.on_cut = lambda: client.put_object(
        Bucket=BUCKET, Key="changing.mp4", Body=CONTENT[::-1]
    )

    with pytest.raises(ObjectChangedError, match=r"changing\.mp4 was changed after it was linked"):
        downloaded(storage, item)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        # A storage that does not know conditions answers with what it has.
        (Fault(headers={"ETag": '"another"'}), ObjectChangedError),
        (Fault(headers={"ETag": None}), StorageRefusedError),
        (Fault(ignores_range=True), StorageRefusedError),
        (Fault(headers={"Content-Range": "bytes 0-9/77"}), ObjectChangedError),
    ],
)
def test_answer_about_something_else_is_not_taken(storage, storage_proxy, fault, error):
    storage_proxy.faults.append(fault)

    with pytest.raises(error):
        storage.read(ITEM, 0, 10)


def test_list_may_be_denied_where_objects_may_be_read(storage):
    with pytest.raises(ObjectDeniedError):
        list(storage.pages("unlisted-bucket", ""))

    assert storage.read(storage.find("unlisted-bucket", "one.mp4"), 0, 3) == b"one"
