"""Where objects of a storage begin with one prefix: "s3://bucket/prefix"."""

import re
from dataclasses import dataclass
from typing import Self

SCHEME = "s3://"
# Amazon S3 User Guide, "Bucket naming rules" and "Naming Amazon S3 objects".
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
MAX_KEY_BYTES = 1024


class StoragePrefixError(ValueError):
    """The text is no storage prefix; the message says what one looks like."""


def is_storage_address(text: str) -> bool:
    """Whether the text is meant as a storage prefix and not as a folder."""
    return text.strip().lower().startswith("s3:")


def is_plain_key(key: str) -> bool:
    """Whether no part of the key is empty or leads elsewhere, and a storage can hold it.

    >>> [is_plain_key(key) for key in ("tea/good.mp4", "tea//good.mp4", "tea/../good.mp4", "")]
    [True, False, False, False]
    """
    parts_are_plain = all(part not in {"", ".", ".."} for part in key.split("/"))
    return parts_are_plain and key.isprintable() and len(key.encode()) <= MAX_KEY_BYTES


@dataclass(frozen=True, slots=True)
class StoragePrefix:
    """A bucket and the beginning of keys in it, without slashes at its ends; empty for all."""

    bucket: str
    prefix: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The prefix that the text names; StoragePrefixError where it names none.

        >>> str(StoragePrefix.parse("s3://videos/tea/"))
        's3://videos/tea'
        """
        text = text.strip()
        if not text.startswith(SCHEME):
            raise StoragePrefixError(f"{text!r} is no storage prefix; expected s3://bucket/prefix.")
        bucket, _, prefix = text.removeprefix(SCHEME).partition("/")
        prefix = prefix.removesuffix("/")
        if not _BUCKET.fullmatch(bucket):
            raise StoragePrefixError(
                f"{text!r} names no bucket; expected s3://bucket/prefix, the bucket of 3"
                " to 63 lower-case letters, digits, hyphens and full stops."
            )
        if prefix and not is_plain_key(prefix):
            raise StoragePrefixError(
                f"The prefix of {text!r} cannot be used; expected names with single slashes "
                "between them."
            )
        return cls(bucket, prefix)

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.prefix}".removesuffix("/")

    def key_of(self, relative: str) -> str:
        return f"{self.prefix}/{relative}" if self.prefix else relative

    def is_within(self, other: "StoragePrefix") -> bool:
        """Whether everything below this prefix is below the other one.

        >>> tea, teapots = map(StoragePrefix.parse, ("s3://videos/tea", "s3://videos/teapots"))
        >>> tea.is_within(StoragePrefix.parse("s3://videos")), teapots.is_within(tea)
        (True, False)
        """
        return self.bucket == other.bucket and (
            not other.prefix or f"{self.prefix}/".startswith(f"{other.prefix}/")
        )
