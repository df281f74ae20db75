"""An S3-compatible storage, asked through boto3, which comes with the extra "s3".

Asking is repeated by botocore where no answer or an overload comes back, and here where an answer
breaks off. An answer is taken only if it is about the very content that was asked for: not every
storage knows conditions such as If-Match, so size and ETag are compared here as well.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import boto3
from boto3.exceptions import S3UploadFailedError
from botocore import exceptions as failures
from botocore.config import Config
from botocore.parsers import ResponseParserError

from annotation.backends.object_storage import (
    ObjectChangedError,
    ObjectDeniedError,
    ObjectMissingError,
    Patience,
    StorageConfig,
    StorageError,
    StorageRefusedError,
    StorageUnavailableError,
    StoredObject,
)

CHUNK_BYTES = 1024 * 1024
PAGE_KEYS = 1000
# An answer that broke off is resumed so often, and once more per so many bytes of the object.
RESUMES = 4
BYTES_PER_RESUME = 256 * 1024 * 1024
RESUME_PAUSE_S = 0.2
CONNECTIONS = 16
MESSAGE_CHARACTERS = 200
# Amazon's have up to 38; longer ones would not fit into the table.
ETAG_CHARACTERS = 200

# The codes of the S3 API reference, "Error responses"; HEAD answers bear the bare HTTP status.
MISSING_CODES = frozenset({"NoSuchKey", "404", "NotFound", "NoSuchVersion"})
DENIED_CODES = frozenset({"AccessDenied", "403", "Forbidden", "AllAccessDisabled"})
CHANGED_CODES = frozenset({"PreconditionFailed", "412", "InvalidRange", "416"})
KEY_CODES = frozenset(
    {
        "AuthorizationHeaderMalformed", "ExpiredToken", "InvalidAccessKeyId", "InvalidToken",
        "RequestTimeTooSkewed", "SignatureDoesNotMatch", "TokenRefreshRequired",
    }
)  # fmt: skip
REGION_CODES = frozenset({"301", "PermanentRedirect", "IllegalLocationConstraintException"})
FIRST_SERVER_FAILURE = 500
TOO_MANY_REQUESTS = 429

KEY_FAILURES = (
    failures.NoCredentialsError,
    failures.PartialCredentialsError,
    failures.CredentialRetrievalError,
    failures.TokenRetrievalError,
)
INTERRUPTIONS = (
    failures.ResponseStreamingError,
    failures.IncompleteReadError,
    failures.ReadTimeoutError,
    failures.ConnectionClosedError,
)
NO_ANSWERS = (
    failures.HTTPClientError,
    failures.ConnectionError,
    ResponseParserError,
)


class _BrokenOffError(Exception):
    """An answer ended before its end; asking for the rest may help."""


class _DamagedError(_BrokenOffError):
    """An answer does not agree with its own checksum."""


class S3Storage:
    """A storage that speaks S3. Threads may share it; processes may not."""

    def __init__(self, config: StorageConfig, patience: Patience) -> None:
        self.name = config.endpoint_url or "Amazon S3"
        self.attempts = patience.attempts
        with self._failures("its settings"):
            self.client: Any = boto3.session.Session().client(
                "s3",
                endpoint_url=config.endpoint_url or None,
                region_name=config.region or None,
                config=Config(
                    connect_timeout=patience.connect_s,
                    read_timeout=patience.read_s,
                    retries={"mode": "standard", "total_max_attempts": patience.attempts},
                    s3={"addressing_style": config.addressing},
                    max_pool_connections=CONNECTIONS,
                ),
            )

    def find(self, bucket: str, key: str) -> StoredObject:
        """What the key holds now."""
        with self._failures(f"s3://{bucket}/{key}"):
            answer = self.client.head_object(Bucket=bucket, Key=key)
            return self._object(bucket, key, answer["ContentLength"], answer)

    def pages(self, bucket: str, prefix: str) -> Iterator[list[StoredObject]]:
        """Yield the objects whose keys begin with the prefix, up to a thousand at a time."""
        token: dict[str, str] = {}
        while True:
            with self._failures(f"s3://{bucket}/{prefix}"):
                answer = self.client.list_objects_v2(
                    Bucket=bucket, Prefix=prefix, MaxKeys=PAGE_KEYS, **token
                )
                page = [
                    self._object(bucket, item["Key"], item["Size"], item)
                    for item in answer.get("Contents", [])
                ]
                if answer["IsTruncated"]:
                    token = {"ContinuationToken": answer["NextContinuationToken"]}
            yield page
            if not answer["IsTruncated"]:
                return

    def read(self, item: StoredObject, first: int, length: int) -> bytes:
        """`length` bytes of this very content, from byte `first` on."""
        attempts_left = self.attempts
        while True:
            attempts_left -= 1
            try:
                with self._failures(str(item)), self._body(item, first, length) as (body, _):
                    data: bytes = body.read(length)
                    _check_count(len(data), length)
                    return data
            except _BrokenOffError as error:
                if not attempts_left:
                    raise self._no_answer(str(item), error) from error
                time.sleep(RESUME_PAUSE_S)

    def download(self, item: StoredObject, file: BinaryIO) -> float:
        """Write this very content to the file; return when it was stored (seconds since 1970)."""
        resumes_left = RESUMES + item.size_bytes // BYTES_PER_RESUME
        while True:
            try:
                with self._failures(str(item)):
                    # Only a whole answer bears a checksum, which botocore then compares; so the
                    # first is asked for without a range.
                    got_bytes = file.tell()
                    length = item.size_bytes - got_bytes
                    with self._body(item, got_bytes, length) as (body, stored_at):
                        for chunk in body.iter_chunks(CHUNK_BYTES):
                            file.write(chunk)
                        _check_count(file.tell(), item.size_bytes)
                    return stored_at
            except _BrokenOffError as error:
                if not resumes_left:
                    raise self._no_answer(str(item), error) from error
                if isinstance(error, _DamagedError):
                    file.seek(0)
                resumes_left -= 1
                time.sleep(RESUME_PAUSE_S)

    def store(self, bucket: str, key: str, path: Path) -> StoredObject:
        """Put the content of a file under the key; what was there before is replaced."""
        with self._failures(f"s3://{bucket}/{key}"):
            try:
                # A large file goes in parts, each of which is tried again by itself.
                self.client.upload_file(str(path), bucket, key)
            except S3UploadFailedError as error:
                raise error.__context__ or error from None
        item = self.find(bucket, key)
        if item.size_bytes != path.stat().st_size:
            raise ObjectChangedError(f"{item} was replaced while it was stored.")
        return item

    def folders(self, bucket: str, prefix: str) -> Iterator[str]:
        """Yield the parts of keys, up to the next slash, that follow a prefix; each once."""
        with self._failures(f"s3://{bucket}/{prefix}"):
            listing = self.client.get_paginator("list_objects_v2")
            for page in listing.paginate(Bucket=bucket, Prefix=prefix, Delimiter="/"):
                for found in page.get("CommonPrefixes", []):
                    yield str(found["Prefix"]).removeprefix(prefix).removesuffix("/")

    def remove(self, bucket: str, key: str) -> None:
        """Remove the object of a key, and all objects below it as below a folder."""
        with self._failures(f"s3://{bucket}/{key}"):
            self.client.delete_object(Bucket=bucket, Key=key)
        for page in self.pages(bucket, f"{key}/"):
            with self._failures(f"s3://{bucket}/{key}"):
                doomed = {"Objects": [{"Key": item.key} for item in page], "Quiet": True}
                answer = self.client.delete_objects(Bucket=bucket, Delete=doomed) if page else {}
            if errors := answer.get("Errors", []):
                first = errors[0]
                raise ObjectDeniedError(f"s3://{bucket}/{first['Key']}: {first['Message']}")

    @contextmanager
    def _body(self, item: StoredObject, first: int, length: int) -> Iterator[tuple[Any, float]]:
        """Yield exactly these bytes of exactly this content as a stream, and when it was stored.

        What breaks off from here on was not tried again by botocore.
        """
        is_part = (first, length) != (0, item.size_bytes)
        last = first + length - 1
        part = {"Range": f"bytes={first}-{last}"} if is_part else {}
        answer: dict[str, Any] = self.client.get_object(
            Bucket=item.bucket, Key=item.key, IfMatch=f'"{item.etag}"', **part
        )
        try:
            found = self._object(item.bucket, item.key, self._whole_size(answer, is_part), answer)
            if found != item:
                raise ObjectChangedError(f"{item} was changed after it was linked.")
            if answer["ContentLength"] != length:
                raise StorageRefusedError(f"{self.name} sent other bytes of {item} than requested.")
        except StorageError:
            answer["Body"].close()
            raise
        with closing(answer["Body"]) as body:
            try:
                yield body, answer["LastModified"].timestamp()
            except failures.FlexibleChecksumError as error:
                raise _DamagedError(str(error)) from error
            except INTERRUPTIONS as error:
                raise _BrokenOffError(str(error)) from error

    def _whole_size(self, answer: dict[str, Any], is_part: bool) -> int:
        if not is_part:
            return int(answer["ContentLength"])
        # Such as "bytes 0-99/1234".
        whole = answer.get("ContentRange", "").rpartition("/")[2]
        if not whole.isdecimal():
            raise StorageRefusedError(f"{self.name} does not answer with the requested bytes.")
        return int(whole)

    def _object(self, bucket: str, key: str, size: int, answer: dict[str, Any]) -> StoredObject:
        etag = answer.get("ETag", "").removeprefix("W/").strip('"')
        if not 0 < len(etag) <= ETAG_CHARACTERS:
            raise StorageRefusedError(f"{self.name} gives no usable ETag for s3://{bucket}/{key}.")
        return StoredObject(bucket, key, size, etag)

    @contextmanager
    def _failures(self, where: str) -> Iterator[None]:
        """Turn what boto3 raises into what callers know."""
        try:
            yield
        except failures.ClientError as error:
            raise self._refusal(error, where) from error
        except KEY_FAILURES as error:
            raise StorageRefusedError(
                f"There are no keys to read {where} with; expected AWS_ACCESS_KEY_ID and "
                f"AWS_SECRET_ACCESS_KEY, or another source that AWS programs know ({error})."
            ) from error
        except NO_ANSWERS as error:
            raise self._no_answer(where, error) from error
        except (failures.BotoCoreError, ValueError, KeyError) as error:
            raise StorageRefusedError(
                f"{self.name} cannot be reached for {where} ({_short(error)})."
            ) from error

    def _no_answer(self, where: str, error: Exception) -> StorageUnavailableError:
        return StorageUnavailableError(
            f"{self.name} gave no complete answer for {where} ({_short(error)})."
        )

    def _refusal(self, error: Any, where: str) -> StorageError:
        code = str(error.response.get("Error", {}).get("Code", ""))
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        message = str(error.response.get("Error", {}).get("Message", ""))[:MESSAGE_CHARACTERS]
        if code in MISSING_CODES:
            return ObjectMissingError(f"There is no {where}.")
        if code == "NoSuchBucket":
            return StorageRefusedError(f"There is no bucket for {where} at {self.name}.")
        if code in DENIED_CODES:
            return ObjectDeniedError(f"Access to {where} was denied ({code}).")
        if code in CHANGED_CODES:
            return ObjectChangedError(f"{where} was changed after it was linked.")
        if code in KEY_CODES:
            return StorageRefusedError(f"{self.name} refuses our keys for {where}: {message}")
        if code in REGION_CODES:
            return StorageRefusedError(f"The bucket of {where} is in another region: {message}")
        if status >= FIRST_SERVER_FAILURE or status == TOO_MANY_REQUESTS:
            return StorageUnavailableError(f"{self.name} fails for {where} ({code} {message}).")
        return StorageRefusedError(f"{self.name} refuses {where}: {code} {message}")


def _check_count(actual_bytes: int, expected_bytes: int) -> None:
    if actual_bytes != expected_bytes:
        raise failures.IncompleteReadError(actual_bytes=actual_bytes, expected_bytes=expected_bytes)


def _short(error: Exception) -> str:
    return str(error)[:MESSAGE_CHARACTERS]
