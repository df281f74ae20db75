"""What a stage of a run is: how it works on one take, and how its product is stored.

A stage is one module of `generation.services.stages` with a `WORK` of this form. It works outside
any transaction and hands over products; the run's work stores them in one transaction together with
the take's progress. Quick stages that follow each other are stored together.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

from django.db.models import Model

from annotation.services.jobs import LostClaimError
from generation.backends.exceptions import BudgetSpentError, CancelledError, NotAllowedError
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.progress import UNWATCHED, Progress
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import RunTake, StopReason


class TakeFailedError(Exception):
    """A take cannot pass a stage; the message is the reason, as the researcher reads it."""


class RunStoppedError(TakeFailedError):
    """A take cannot pass a stage, and neither can the others: the run is to be stopped."""

    def __init__(self, words: str, reason: StopReason) -> None:
        super().__init__(words)
        self.reason = reason


class TakeWaitsError(Exception):
    """A take cannot go on before a person has done something; the message says what.

    Nobody can do it while the take is worked on, so that it cannot be overlooked.
    """


@contextmanager
def failing_takes(what: str, failures: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn what goes wrong with a model or provider into what happens to the take.

    `failures` fail it, and `what` says of which deed they are the reason.
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
    """What a stage makes of one take; each kind knows its own rows."""

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        """The product that an earlier attempt stored."""

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        """What writes the rows, to be called in the transaction that moves the take on.

        All else is done here: while that transaction lasts, other workers wait.
        """

    def summary(self) -> dict[str, object]:
        """The few figures that go into the audit log."""


def store_row(row: Model, key: Sequence[str] = ("run_take",)) -> None:
    """Write what was made of a take, or whatever `key` names, over an older row of the same."""
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
    """One take on its way through the stages: what is known of it, and what is not stored yet."""

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
    input, TakeFailedError where the take cannot pass the stage for another reason that a researcher
    can read, TakeWaitsError where it wants a person first; what was made so far must be there when
    the work is done again. `is_quick` says whether a take costs milliseconds under these options,
    and may be done again for free.
    """

    stage: Stage
    work: Callable[[TakeWork], None]
    is_quick: Callable[[RunOptions], bool] = lambda options: True
