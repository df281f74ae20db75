"""The form of a campaign in which recordings are segmented."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.http import QueryDict

from annotation.forms.campaigns.campaigns import CampaignForm
from annotation.forms.corpus.datasets import choose_among
from annotation.models import Dataset, User
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.campaigns.campaigns import NewCampaign
from segments.models import SEGMENTS


class SegmentCampaignForm(CampaignForm):
    # Its rounds have these, each their own.
    overlap = None  # type: ignore[assignment]
    phase = None  # type: ignore[assignment]
    guideline_version = None  # type: ignore[assignment]
    seed = None  # type: ignore[assignment]

    def __init__(
        self, user: User, data: QueryDict | None = None, *, chosen: Sequence[str] = ()
    ) -> None:
        super().__init__(user, data, chosen=chosen)
        choose_among(self, datasets=datasets_to_label(user))
        datasets, name = self.fields["datasets"], self.fields["name"]
        datasets.help_text = "Their recordings can be in its rounds. More can be added later."
        name.help_text = (
            "People see it in their queue, so do not name a data set, model or generator in it."
        )

    def to_campaign(self) -> NewCampaign:
        return NewCampaign(
            name=self.cleaned_data["name"],
            kind=SEGMENTS,
            is_shared=self.cleaned_data["is_shared"],
        )


def datasets_to_label(user: User) -> QuerySet[Dataset]:
    """Every trace has a take, so a data set without takes has no recordings."""
    return visible_datasets(user).filter(takes__isnull=False).distinct().order_by("name")
