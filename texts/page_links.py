"""Links and parts about texts on the pages of data sets and of what made them."""

from annotation import page_links
from annotation.models import Dataset, User
from annotation.page_links import PagePart, ReadSample, ReadShare
from annotation.selectors.corpus.blinding import may_open
from texts.engine.figures import Share
from texts.launch import figures_to_show
from texts.selectors.sampling import has_mistakes_to_read, sense_rounds, verdicts_on_mistakes


def sense_part(user: User, dataset: Dataset) -> PagePart | None:
    """What people said of samples of a data set's mistakes, and where one is drawn."""
    if not has_mistakes_to_read(dataset):
        return None
    rounds = sense_rounds(user, dataset)
    readings = figures_to_show(rounds=rounds, actor=user)
    shown = {"dataset": dataset, "may_open": may_open(user, dataset), "readings": readings}
    return PagePart("texts/_dataset_sense.html", shown)


def samples_read(user: User, dataset: Dataset) -> list[ReadSample]:
    """What people said of samples of a data set's mistakes, as numbers, the newest first."""
    rounds = sense_rounds(user, dataset)
    return [
        ReadSample(
            campaign=stored.round.campaign.public_id,
            round=stored.round.number,
            seed=stored.round.seed,
            texts=stored.round.text_items.count(),
            decided=stored.figures.decided if stored.figures else 0,
            computed_at=stored.computed_at.isoformat() if stored.computed_at else None,
            newer_verdicts=stored.newer_count,
            shares=tuple(map(_read_share, stored.figures.shares if stored.figures else ())),
        )
        for stored in figures_to_show(rounds=rounds, actor=user)
    ]


def _read_share(share: Share) -> ReadShare:
    interval = share.interval
    return ReadShare(
        share.name, share.title, share.hits, share.count, interval.low, interval.high,
        interval.reason,
    )  # fmt: skip


def register() -> None:
    page_links.add(page_links.DATASET_READINGS, sense_part)
    page_links.add(page_links.READ_SAMPLES, samples_read)
    page_links.add(page_links.READ_VERDICTS, verdicts_on_mistakes)
