"""Forms of the import of ratings."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from annotation.engine.ratings.columns import VERSION_CHARACTERS
from annotation.forms.corpus.datasets import MultipleFileField, choose_among
from annotation.models import Dataset, User
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import changeable_campaigns
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.ratings.imports.files import RATERS_CHARACTERS, RatingRequest

NAME_CHARACTERS = 200


class RatingRequestForm(forms.Form):
    """What comes with files of ratings; everything may be left empty."""

    raters = forms.CharField(
        required=False,
        max_length=RATERS_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Who filled in the workbooks",
        help_text=(
            "One user name for all of them, or a line such as book1.xlsx=anna for each. Empty: the"
            " column Rater names them, or the file has its rater's name (anna.xlsx)."
        ),
    )
    dataset = forms.ModelChoiceField(
        queryset=Dataset.objects.none(),
        to_field_name="public_id",
        required=False,
        empty_label="As the files say",
        label="Data set",
    )
    campaign = forms.CharField(
        required=False,
        max_length=NAME_CHARACTERS,
        label="Campaign",
        help_text=(
            "One of yours, or a new name. Empty: the campaign in which the rater has the trace"
            " under that guideline, else a new one."
        ),
        widget=forms.TextInput(attrs={"list": "own-campaigns"}),
    )
    guideline_version = forms.CharField(
        required=False,
        max_length=VERSION_CHARACTERS,
        label="Guideline version",
        help_text="Of ratings that name none. Empty: recorded as unknown.",
    )
    rated_at = forms.DateTimeField(
        required=False,
        label="Rated at (UTC)",
        help_text="Of ratings that say no time. Empty: recorded as unknown.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    changes_submitted = forms.BooleanField(
        required=False, label="Change answers also where their rater has submitted the trace"
    )

    def __init__(
        self,
        user: User,
        data: QueryDict | None = None,
        files: MultiValueDict[str, Any] | None = None,
        *,
        request: RatingRequest | None = None,
        initial: dict[str, Any] | None = None,
    ) -> None:
        """`request` is what came with the files so far; the form begins with it."""
        datasets = visible_datasets(user).order_by("name")
        if request is not None:
            dataset = datasets.filter(name=request.dataset).first()
            initial = {
                "raters": request.raters,
                "dataset": dataset.public_id if dataset else None,
                "campaign": request.campaign,
                "guideline_version": request.guideline_version,
                "rated_at": request.rated_at[:16],
                "changes_submitted": request.changes_submitted,
            }
        super().__init__(data, files, initial=initial)
        choose_among(self, dataset=datasets)
        own = changeable_campaigns(user).filter(kind=RATINGS)
        self.own_campaigns = list(own.order_by("name").values_list("name", flat=True))

    def to_request(self) -> RatingRequest:
        cleaned = self.cleaned_data
        return RatingRequest(
            dataset=cleaned["dataset"].name if cleaned["dataset"] else "",
            campaign=cleaned["campaign"],
            guideline_version=cleaned["guideline_version"],
            rated_at=cleaned["rated_at"].isoformat() if cleaned["rated_at"] else "",
            raters=cleaned["raters"],
            changes_submitted=cleaned["changes_submitted"],
        )


class RatingImportForm(RatingRequestForm):
    """Files of ratings, and what comes with them."""

    uploads = MultipleFileField(
        label="Files",
        help_text=(
            "Workbooks of the annotation template (.xlsx or .csv), one per rater; tables with one"
            " row per rating (.csv); or a zip archive of them."
        ),
    )
    field_order = ("uploads",)
