"""How long work asks whether it is still wanted, and says how far it is."""

from typing import Protocol


class Progress(Protocol):
    """Who watches long work; each of these raises where the work is not wanted any more.

    `check` is for between the parts of a work and costs nothing. `tell` says how many parts are
    done and how many there are, and `hold` keeps the claim in the middle of one; both ask the
    database.
    """

    def check(self) -> None: ...

    def tell(self, done_count: int, total_count: int) -> None: ...

    def hold(self) -> None: ...


class _Unwatched:
    def check(self) -> None:
        pass

    def tell(self, done_count: int, total_count: int) -> None:
        pass

    def hold(self) -> None:
        pass


# Nobody watches: the work goes on to its end.
UNWATCHED = _Unwatched()
