"""Which request or job the lines of a log belong to."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CONTEXT: ContextVar[dict[str, object] | None] = ContextVar("log_context", default=None)


@contextmanager
def logged_with(**fields: object) -> Iterator[None]:
    """Note the fields in every line that is logged within."""
    reset = _CONTEXT.set({**logged_fields(), **fields})
    try:
        yield
    finally:
        _CONTEXT.reset(reset)


def logged_fields() -> dict[str, object]:
    return dict(_CONTEXT.get() or {})
