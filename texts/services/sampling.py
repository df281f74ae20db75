"""Have a sample of a data set's mistakes read: natural, odd, no mistake or impossible."""

from dataclasses import asdict, dataclass, field

from django.core.exceptions import ValidationError

from annotation.engine.limits import between, up_to
from annotation.models import Dataset, Round, User
from annotation.services.campaigns.rounds import SEED
from texts.engine.vocabulary import SENSE
from texts.selectors.sampling import sample_of_mistakes, sense_origin
from texts.services.rounds import NewTextRound, TextDraft, begin_reading


@dataclass(frozen=True, slots=True)
class NewSample:
    name: str = field(metadata=up_to(200))
    count: int = field(default=50, metadata=between(1, 1000))
    overlap: int = field(default=2, metadata=between(1, 2))
    seed: int = field(default=0, metadata=SEED)


def have_mistakes_read(*, dataset: Dataset, new: NewSample, actor: User) -> Round:
    """The planned round; raises `ValidationError` where no mistake has words of its own."""
    mistakes = sample_of_mistakes(dataset, new.count, new.seed)
    if not mistakes:
        raise ValidationError(f"No mistake of {dataset.name} has words of its own.")
    return begin_reading(
        name=new.name,
        datasets=[dataset],
        new=NewTextRound(
            origin=sense_origin(dataset),
            vocabulary=SENSE,
            overlap=new.overlap,
            seed=new.seed,
        ),
        drafts=[TextDraft(**asdict(mistake)) for mistake in mistakes],
        actor=actor,
    )
