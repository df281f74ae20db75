"""A real S3 server for tests, in a process of its own, with keys that it checks."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import boto3
from botocore.config import Config

REPOSITORY = Path(__file__).resolve().parent.parent.parent
REGION = "us-east-1"
# What a site needs and no more; keys that contain "denied" it may not read.
READER_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"},
        {"Effect": "Deny", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::*/denied*"},
        {"Effect": "Deny", "Action": "s3:*", "Resource": "arn:aws:s3:::shut*"},
        {"Effect": "Deny", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::unlisted*"},
    ],
}
WRITER_POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}],
}
# Requests that make the two accounts, before the server begins to check keys.
UNCHECKED_REQUESTS = 6


@dataclass(frozen=True, slots=True)
class Keys:
    access_key: str
    secret_key: str


@dataclass(frozen=True, slots=True)
class StorageServer:
    """A running server: `writer` may do everything, `reader` what a site may."""

    endpoint_url: str
    writer: Keys
    reader: Keys

    def client(self):
        """Return a client that may write."""
        return _client("s3", self.endpoint_url, self.writer)


@lru_cache
def _client(service: str, endpoint_url: str, keys: Keys):
    return boto3.session.Session().client(
        service,
        endpoint_url=endpoint_url,
        region_name=REGION,
        aws_access_key_id=keys.access_key,
        aws_secret_access_key=keys.secret_key,
        config=Config(s3={"addressing_style": "path"}),
    )


@contextmanager
def running_server() -> Iterator[StorageServer]:
    """Start a server on a free port and end it afterwards."""
    environment = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": str(UNCHECKED_REQUESTS)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.s3_process"],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        endpoint_url = f"http://127.0.0.1:{int(process.stdout.readline())}"
        iam = _client("iam", endpoint_url, Keys("first", "first"))
        reader = _account(iam, "reader", READER_POLICY)
        writer = _account(iam, "writer", WRITER_POLICY)
        yield StorageServer(endpoint_url, writer, reader)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _account(iam, name: str, policy: dict) -> Keys:
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName=name, PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return Keys(key["AccessKeyId"], key["SecretAccessKey"])
