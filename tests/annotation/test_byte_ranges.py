"""Files in byte ranges: how much an answer holds, who waits, what is said when bytes are gone."""

from pathlib import Path

import pytest
from django.http import Http404
from django.test import RequestFactory

from annotation import byte_ranges
from annotation.backends.stored_content import (
    ContentGoneError,
    ContentUnavailableError,
    FileContent,
)
from annotation.byte_ranges import RangeNotSatisfiableError, asked_range, content_response
from annotation.models import User
from annotation.services.videos.tokens import personal_tag

CONTENT = bytes(range(256)) * 40
SIZE = len(CONTENT)
PART = 4000


# Closing an answer ends a request, which looks at the database's connections.
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(byte_ranges, "PART_BYTES", PART)


@pytest.fixture(autouse=True)
def slot_given_back(small_parts):
    """After every test, whole files can be sent again."""
    yield
    assert byte_ranges._whole_file_slots.acquire(blocking=False)
    byte_ranges._whole_file_slots.release()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one.mp4"
    path.write_bytes(CONTENT)
    return path


def answer_to(content, method="get", **headers):
    request = getattr(RequestFactory(), method)("/", headers=headers)
    return content_response(request, lambda: content, "video/mp4", User(pk=1))


class BrokenContent:
    """Content whose bytes end in an error after the first few chunks."""

    size_bytes, tag = SIZE, "tag"

    def __init__(self, error, good_count=0):
        self.error = error
        self.good_count = good_count

    def chunks(self, first, length):
        for _ in range(self.good_count):
            yield b"1234"
        raise self.error


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-", (0, PART - 1)),
        ("bytes=9000-", (9000, SIZE - 1)),
        ("bytes=100-8000", (100, 100 + PART - 1)),
        ("bytes=-10", (SIZE - 10, SIZE - 1)),
        ("bytes=-9000", (SIZE - 9000, SIZE - 9000 + PART - 1)),
        ("bytes=-999999", (0, PART - 1)),
        ("bytes=7-7", (7, 7)),
        ("bytes=5-4", None),
        ("bytes=0-1,3-4", None),
        ("lines=0-1", None),
    ],
)
def test_asked_range_is_never_longer_than_a_part(header, expected):
    assert asked_range(header, SIZE) == expected


@pytest.mark.parametrize(("header", "size"), [("bytes=0-", 0), ("bytes=-1", 0), ("bytes=-0", 9)])
def test_asked_range_outside_the_file_cannot_be_met(header, size):
    with pytest.raises(RangeNotSatisfiableError):
        asked_range(header, size)


def test_suffix_comes_in_parts_that_add_up(file):
    content = FileContent.of(file)
    begun = answer_to(content, Range="bytes=-9000")
    rest = answer_to(content, Range=f"bytes={SIZE - 5000}-{SIZE - 1}")
    last = answer_to(content, Range=f"bytes={SIZE - 1000}-")

    parts = [b"".join(answer.streaming_content) for answer in (begun, rest, last)]

    assert b"".join(parts) == CONTENT[-9000:]
    assert begun.headers["Content-Range"] == f"bytes {SIZE - 9000}-{SIZE - 5001}/{SIZE}"


def test_whole_file_is_sent_to_one_client_at_a_time(file):
    content = FileContent.of(file)
    first = answer_to(content)
    second = answer_to(content)
    part = answer_to(content, Range="bytes=0-")
    sent = b"".join(first.streaming_content)
    third = answer_to(content)
    third.close()

    assert (first.status_code, second.status_code, part.status_code) == (200, 503, 206)
    assert second.headers["Retry-After"] == "5"
    assert sent == CONTENT
    assert third.status_code == 200
    assert b"".join(answer_to(content).streaming_content) == CONTENT


def test_whole_file_of_one_part_waits_for_nobody(file, tmp_path):
    picture = tmp_path / "picture.jpg"
    picture.write_bytes(b"x" * PART)
    whole = answer_to(FileContent.of(file))

    small = answer_to(FileContent.of(picture))

    whole.close()
    assert b"".join(small.streaming_content) == b"x" * PART


def test_head_needs_no_slot_and_reads_nothing(file):
    whole = answer_to(FileContent.of(file))

    head = answer_to(BrokenContent(ContentGoneError("gone")), "head")

    whole.close()
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(SIZE))


def test_content_that_is_gone_is_not_found():
    with pytest.raises(Http404):
        answer_to(BrokenContent(ContentGoneError("gone")))


def test_content_that_cannot_be_had_now_is_asked_for_later():
    answer = answer_to(BrokenContent(ContentUnavailableError("no answer")), Range="bytes=0-")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")


def test_content_that_breaks_off_ends_the_answer_with_an_error():
    answer = answer_to(BrokenContent(ContentUnavailableError("cut"), good_count=2))

    with pytest.raises(ContentUnavailableError):
        list(answer.streaming_content)


def test_content_is_compared_by_its_tag_and_never_by_a_date():
    content = BrokenContent(ContentGoneError(""), good_count=1)
    etag = f'"{personal_tag("tag", User(pk=1))}"'
    same = answer_to(content, Range="bytes=0-9", **{"If-Range": etag})
    other = answer_to(content, Range="bytes=0-9", **{"If-Range": "Fri, 20 Nov 2026 12:00:00 GMT"})
    other.close()

    assert [same.status_code, other.status_code] == [206, 200]
    assert "Last-Modified" not in same.headers


def test_file_that_was_replaced_while_it_was_sent_is_gone(file):
    content = FileContent.of(file)
    file.write_bytes(CONTENT[:-1])

    with pytest.raises(ContentGoneError, match="was changed"):
        list(content.chunks(0, SIZE))


def test_file_that_is_not_there_is_gone(tmp_path):
    with pytest.raises(ContentGoneError, match=r"gone\.mp4 cannot be read: No such file"):
        FileContent.of(tmp_path / "gone.mp4")
