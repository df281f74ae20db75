"""The form of a campaign in which texts are read, and of its guideline."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from annotation.forms.campaigns.campaigns import CampaignForm
from annotation.forms.campaigns.rounds import LONG_TEXT, DraftForm
from annotation.forms.corpus.datasets import choose_among
from annotation.models import Dataset, GuidelineVersion, User
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.campaigns.campaigns import NewCampaign
from texts.models import TEXTS


class TextCampaignForm(CampaignForm):
    # Its rounds have these, each their own.
    overlap = None  # type: ignore[assignment]
    phase = None  # type: ignore[assignment]
    guideline_version = None  # type: ignore[assignment]
    seed = None  # type: ignore[assignment]

    def __init__(
        self, user: User, data: QueryDict | None = None, *, chosen: Sequence[str] = ()
    ) -> None:
        super().__init__(user, data, chosen=chosen)
        choose_among(self, datasets=datasets_to_read(user))
        self.fields["datasets"].help_text = "Texts about their recordings can be in its rounds."
        self.fields[
            "name"
        ].help_text = (
            "People see it in their queue, so do not name a data set, model or generator in it."
        )

    def to_campaign(self) -> NewCampaign:
        return NewCampaign(
            name=self.cleaned_data["name"],
            kind=TEXTS,
            is_shared=self.cleaned_data["is_shared"],
        )


def datasets_to_read(user: User) -> QuerySet[Dataset]:
    return visible_datasets(user).order_by("name")


class TextGuidelineForm(DraftForm):
    text = forms.CharField(
        max_length=10 * LONG_TEXT,
        widget=forms.Textarea(attrs={"rows": 12}),
        label="How texts are judged",
    )

    def __init__(self, version: GuidelineVersion, data: QueryDict | None = None) -> None:
        super().__init__(version, data, text=version.text["text"])

    def to_text(self) -> dict[str, object]:
        return {"text": self.cleaned_data["text"]}

    def to_examples(self) -> list[dict[str, Any]]:
        return []
