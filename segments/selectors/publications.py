"""The rounds of segments that data sets were made from, for users who may see them."""

from dataclasses import dataclass

from annotation.models import Dataset, Round, User
from annotation.selectors.campaigns.campaigns import visible_campaigns
from annotation.selectors.corpus.blinding import campaigns_hidden_now
from annotation.selectors.corpus.corpus import visible_datasets
from segments.models import SegmentPublication


@dataclass(frozen=True, slots=True)
class DatasetOrigin:
    """The publication of a data set; `may_open`: the user may open its round."""

    publication: SegmentPublication
    may_open: bool

    @property
    def people_count(self) -> int:
        return len({item["person"] for item in self.publication.segmentations})


def origin_of_dataset(user: User, dataset: Dataset) -> DatasetOrigin | None:
    """The round that a data set was made from; None for an imported one (3 queries)."""
    publication = (
        SegmentPublication.objects.filter(dataset=dataset)
        .select_related("round__campaign", "round__segments", "made_by")
        .first()
    )
    if publication is None:
        return None
    campaign = publication.round.campaign_id
    may_open = (
        visible_campaigns(user).filter(pk=campaign).exists()
        and not campaigns_hidden_now(user).filter(pk=campaign).exists()
    )
    return DatasetOrigin(publication, may_open)


def publications_of_round(user: User, round_: Round) -> list[SegmentPublication]:
    """The data sets made from a round, of those that the user may see; the latest first."""
    rows = SegmentPublication.objects.filter(round=round_, dataset__in=visible_datasets(user))
    return list(rows.select_related("dataset", "made_by"))
