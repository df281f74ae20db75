"""What is taken out of log lines before anybody writes them."""

import logging

import httpx2


class WithoutQueries(logging.Filter):
    """Cut the query out of the addresses that the HTTP client logs.

    Files that others keep for us have addresses with a signature in the query: whoever has the
    whole address has the file.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Let the line through, with shorter addresses."""
        if isinstance(record.args, tuple):
            record.args = tuple(_shortened(part) for part in record.args)
        return True


def _shortened(part: object) -> object:
    return part.copy_with(query=None) if isinstance(part, httpx2.URL) else part
