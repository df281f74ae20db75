"""Prefixes of a storage: what is one, what lies below which, and what is refused."""

import pytest

from annotation.engine.videos.storage_prefix import (
    StoragePrefix,
    StoragePrefixError,
    is_plain_key,
    is_storage_address,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://videos", StoragePrefix("videos", "")),
        ("s3://videos/", StoragePrefix("videos", "")),
        (" s3://videos/tea ", StoragePrefix("videos", "tea")),
        ("s3://videos.of.2026/Tea time/ä/", StoragePrefix("videos.of.2026", "Tea time/ä")),
    ],
)
def test_prefix_is_read(text, expected):
    assert StoragePrefix.parse(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "s3", "/videos", "s3:videos", "S3://videos", "https://videos", "s3://", "s3:///tea", "s3://ab",
     "s3://Videos", "s3://vid_eos", "s3://videos:80/tea", "s3://-videos", "s3://videos//tea",
     "s3://videos/../tea", "s3://videos/./tea", "s3://videos/tea//", "s3://videos/te\na",
     f"s3://videos/{'ä' * 513}"],
)  # fmt: skip
def test_prefix_that_is_none_is_refused(text):
    with pytest.raises(StoragePrefixError, match=r"s3://bucket/prefix|cannot be used"):
        StoragePrefix.parse(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("s3://videos/tea", True), ("S3:videos", True), ("/s3:/videos", False), ("videos", False)],
)
def test_storage_address_is_told_from_a_folder(text, is_one):
    assert is_storage_address(text) is is_one


@pytest.mark.parametrize(
    ("inner", "outer", "is_within"),
    [
        ("s3://videos/tea", "s3://videos/tea", True),
        ("s3://videos/tea/green", "s3://videos/tea", True),
        ("s3://videos/tea", "s3://videos", True),
        ("s3://videos", "s3://videos/tea", False),
        ("s3://videos/teapots", "s3://videos/tea", False),
        ("s3://other/tea", "s3://videos", False),
    ],
)
def test_prefix_lies_within_another(inner, outer, is_within):
    assert StoragePrefix.parse(inner).is_within(StoragePrefix.parse(outer)) is is_within


def test_prefix_names_keys_and_writes_itself():
    tea, everything = StoragePrefix("videos", "tea"), StoragePrefix("videos", "")

    assert [place.key_of("one.mp4") for place in (tea, everything)] == ["tea/one.mp4", "one.mp4"]
    assert [str(place) for place in (tea, everything)] == ["s3://videos/tea", "s3://videos"]


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", "../a", "a/./b", "a\x00", "ä" * 513])
def test_key_that_leads_elsewhere_is_not_plain(key):
    assert not is_plain_key(key)
