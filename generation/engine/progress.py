"""How long work finds out whether it is still wanted, and reports how far it is."""

from typing import Protocol


class Progress(Protocol):
    """What long work reports to; each method raises if the work is no longer wanted.

    `check` costs nothing and is called between parts. `report` writes how many parts are done, of
    how many; `keep_claim` renews the worker's claim in the middle of a part. Both ask the database.
    """

    def check(self) -> None: ...

    def report(self, done_count: int, total_count: int) -> None: ...

    def keep_claim(self) -> None: ...


class _Unwatched:
    def check(self) -> None:
        pass

    def report(self, done_count: int, total_count: int) -> None:
        pass

    def keep_claim(self) -> None:
        pass


# For work that nobody can cancel: it goes on to its end.
UNWATCHED = _Unwatched()
