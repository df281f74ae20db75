"""What a stage of a run is: how it works on one take, and how its product is stored.

A stage is one module of `generation.services.stages` with a `WORK`, a `StageWork`. It works outside
any transaction and hands over products; `run_work` stores them in one transaction together with the
take's progress. Consecutive quick stages are stored together.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

from django.db.models import Model

from annotation.services.records.jobs import LostClaimError
from generation.backends.exceptions import BudgetSpentError, CancelledError, NotAllowedError
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.progress import UNWATCHED, Progress
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import RunTake, StopReason


class TakeFailedError(Exception):
    """A take cannot pass a stage; the message is the reason, written for the researcher."""


class RunStoppedError(TakeFailedError):
    """A take cannot pass a stage, and neither could the others: the run has to stop."""

    def __init__(self, words: str, reason: StopReason) -> None:
        super().__init__(words)
        self.reason = reason


class TakeWaitsError(Exception):
    """A take cannot go on until a person has done something; the message says what.

    It is raised when everything else is done: people cannot work on a take that a worker has.
    """


@contextmanager
def failing_takes(what: str, failures: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn the errors of a model or provider into those that decide what happens to the take.

    `failures` become TakeFailedError; the message begins with `what`, as "GPT gave no text".
    """
    try:
        yield
    except CancelledError as error:
        raise LostClaimError(str(error)) from error
    except (BudgetSpentError, NotAllowedError) as error:
        raise RunStoppedError(f"{error}.", StopReason(error.outcome)) from error
    except failures as error:
        raise TakeFailedError(f"{what}: {error}") from error


class Product(Protocol):
    """What a stage makes of one take; each kind reads and writes its own rows."""

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        """The product that an earlier attempt stored."""

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        """A function that writes the rows, for the transaction that moves the take on.

        Everything else is done before it, since other workers wait while that transaction lasts.
        """

    def summary(self) -> dict[str, object]:
        """The few figures that go into the audit log."""


def store_row(row: Model, key: Sequence[str] = ("run_take",)) -> None:
    """Write a row, replacing an older one with the same `key` (for the same take)."""
    fields = [field.name for field in row._meta.concrete_fields if not field.primary_key]
    type(row)._default_manager.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=key,
        update_fields=[name for name in fields if name not in key],
    )


ProductType = TypeVar("ProductType", bound=Product)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What every take of a run shares; fixed at launch."""

    profile: Profile
    seed: int
    stages: tuple[Stage, ...]
    statistics: RunStatistics | None
    options: RunOptions


@dataclass(slots=True)
class TakeWork:
    """One take on its way through the stages, with the products that are not stored yet."""

    run_take: RunTake
    settings: RunSettings
    procedure: Procedure
    input_hash: str
    progress: Progress = UNWATCHED
    unstored: dict[type[Product], Product] = field(default_factory=dict)

    def hand_over(self, product: Product) -> None:
        """Hand over a product; one of the same kind replaces the earlier one."""
        self.unstored[type(product)] = product

    def get(self, kind: type[ProductType]) -> ProductType:
        """The product of an earlier stage, from memory or from its rows."""
        product = self.unstored.get(kind)
        return product if isinstance(product, kind) else kind.load(self.run_take)


@dataclass(frozen=True, slots=True)
class StageWork:
    """One stage of a run.

    `work` works on a take and hands over the product. It raises FormatError or PlanningError on bad
    input, TakeFailedError if the take cannot pass the stage for another reason that a researcher
    can read, and TakeWaitsError if a person has to do something first; parts that are already made
    must still be there when it runs again. `is_quick` says whether a take takes milliseconds under
    these options and can be done again for free.
    """

    stage: Stage
    work: Callable[[TakeWork], None]
    is_quick: Callable[[RunOptions], bool] = lambda options: True
