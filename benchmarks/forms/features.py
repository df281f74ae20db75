"""Forms for features: upload them, or compute them from videos."""

from typing import Any, cast

from django import forms

from annotation.forms.corpus.datasets import MultipleFileField
from annotation.models import Dataset, User
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.engine.features.extractor import extractors
from benchmarks.services.features import MOST_SECONDS_PER_ROW


class FeaturesForm(forms.Form):
    dataset = forms.ModelChoiceField(
        Dataset.objects.none(), to_field_name="public_id", label="Data set", empty_label=None
    )
    name = forms.CharField(max_length=200, label="Name")

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        dataset = cast(forms.ModelChoiceField, self.fields["dataset"])
        dataset.queryset = visible_datasets(user).order_by("name")
        # Added here so that it comes after the fields of the subclass.
        self.fields["is_shared"] = forms.BooleanField(
            required=False, label="Share them with every researcher who may read the data set"
        )


class FeaturesUploadForm(FeaturesForm):
    uploads = MultipleFileField(
        label="Files",
        help_text=".npy or .npz, one per recording and named after it; above 100, a zip archive.",
    )
    seconds_per_row = forms.FloatField(
        min_value=0.01,
        max_value=MOST_SECONDS_PER_ROW,
        initial=1,
        label="Seconds from row to row",
        help_text="1 for most released features, 2 for those of ImageBind.",
    )
    key = forms.CharField(
        max_length=100,
        required=False,
        label="Key",
        help_text="Which array of an .npz file; empty where it has one alone.",
    )


class FeaturesMakeForm(FeaturesForm):
    extractor = forms.ChoiceField(label="Features")

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        extractor = cast(forms.ChoiceField, self.fields["extractor"])
        extractor.choices = [
            (row.name, f"{row.title} (not installed)" if row.missing() else row.title)
            for row in extractors().values()
        ]
