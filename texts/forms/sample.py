"""The form with which a researcher has a sample of mistakes read."""

from django import forms

from annotation.engine.limits import limits
from annotation.services.campaigns.campaigns import NewCampaign
from texts.services.sampling import NewSample


class SampleForm(forms.Form):
    name = forms.CharField(
        **limits(NewCampaign, "name"),
        label="Name of the campaign",
        help_text="People see it in their queue, so do not name a data set, model or generator.",
    )
    count = forms.IntegerField(
        **limits(NewSample, "count", default_as="initial"),
        label="Mistakes",
        help_text="Drawn by the seed from all that have words of their own.",
    )
    overlap = forms.TypedChoiceField(
        choices=[(2, "Two, and a third where they differ"), (1, "One")],
        coerce=int,
        initial=2,
        label="People for each",
    )
    seed = forms.IntegerField(**limits(NewSample, "seed", default_as="initial"), label="Seed")

    def to_sample(self) -> NewSample:
        return NewSample(**self.cleaned_data)
