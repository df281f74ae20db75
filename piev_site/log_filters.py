"""What is taken out of log lines before anybody writes them."""

import logging
import re

import httpx2

from annotation.backends.full_disk import is_disk_full


class WithoutQueries(logging.Filter):
    """Cut the query out of the addresses that the HTTP client logs.

    Files in somebody else's storage have addresses with a signature in the query, and that opens
    them to anyone who reads the log.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                part.copy_with(query=None) if isinstance(part, httpx2.URL) else part
                for part in record.args
            )
        return True


class WithoutBrokerDefaults(logging.Filter):
    """Leave out that a queue on a socket or in a folder has no host name: it needs none."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("No hostname was supplied")


class WithoutFullDisks(logging.Filter):
    """Leave out the tracebacks of requests that failed because the disk is full.

    `annotation/views/records/errors.py` writes a line of its own for each.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        return record.exc_info is None or not is_disk_full(record.exc_info[1])


# Whoever has one of these addresses sees the video, or sets a password.
TOKENS = re.compile(r"(/(?:video|join|password/link)/)[^/\s]+[^\s]*")


class WithoutTokens(logging.Filter):
    """Cut addresses that open something to whoever has them."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if (cut := TOKENS.sub(r"\1…", text)) != text:
            record.msg, record.args = cut, ()
        return True
