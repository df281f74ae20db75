"""The forms of step proposals: what to propose, and the audit of it."""

from typing import Any, cast

from django import forms

from annotation.models import User, Video
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.engine.features.extractor import extractors
from benchmarks.selectors.proposals import usable_features
from benchmarks.services.askable import MOST_USD, usable_endpoints
from benchmarks.services.proposals import ProposalsRequest

# Between the name of an extractor and the id of the data set that it works on.
OF = "/"


class ProposalsForm(forms.Form):
    """Which features, there or to be computed first, and whether a model looks at the pieces."""

    name = forms.CharField(max_length=200, label="Name")
    features = forms.ChoiceField(
        label="Features",
        help_text="Those that are there, or what the job computes first from the linked videos.",
    )
    recordings = forms.CharField(
        required=False,
        max_length=10_000,
        label="Recordings",
        help_text="Names, separated by blanks. Empty: all that have features.",
    )
    describer = forms.ChoiceField(
        required=False,
        label="Captions by",
        help_text="A text model that takes pictures; it is paid for by the call. Without one the"
        " pieces are given to the steps in order.",
    )
    budget_usd = forms.FloatField(
        min_value=0.000001,
        max_value=MOST_USD,
        required=False,
        label="Budget in US dollars",
        help_text="The model stops there, and goes on once you raise it.",
    )

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        features = cast(forms.ChoiceField, self.fields["features"])
        features.choices = [
            (row.public_id, f"{row.name} of {row.dataset.name}")
            for row in usable_features(user).order_by("dataset__name", "name")
        ]
        filmed = visible_datasets(user).filter(pk__in=Video.objects.values("dataset"))
        computed = [
            (f"{one.name}{OF}{public_id}", f"{one.title} of {name}")
            for public_id, name in filmed.order_by("name").values_list("public_id", "name")
            for one in extractors().values()
            if not one.missing()
        ]
        if computed:
            features.choices = [*features.choices, ("Compute first", computed)]
        describer = cast(forms.ChoiceField, self.fields["describer"])
        seeing = usable_endpoints(user).filter(supports_images=True).order_by("name")
        endpoints = seeing.values_list("public_id", "name")
        describer.choices = [("", "Nobody: pieces in order"), *endpoints]

    def to_request(self) -> ProposalsRequest:
        chosen = dict(self.cleaned_data)
        extractor, of, dataset = chosen["features"].partition(OF)
        if of:
            chosen |= {"features": "", "extractor": extractor, "dataset": dataset}
        return ProposalsRequest(**chosen)


class AuditForm(forms.Form):
    """The name of the campaign in which people check proposals."""

    name = forms.CharField(max_length=200, label="Name of the campaign")
