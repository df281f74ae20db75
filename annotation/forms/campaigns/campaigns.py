"""Forms of the campaign pages."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count, Q, QuerySet
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from annotation.engine.campaigns.account_table import (
    ACCOUNTS_FILE_LIMIT,
    AccountTableError,
    accounts_in_table,
)
from annotation.engine.limits import limits
from annotation.forms.corpus.datasets import choose_among
from annotation.models import Campaign, CampaignRater, Dataset, Phase, User
from annotation.selectors.campaigns.campaigns import name_warning
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.campaigns.campaigns import NewCampaign

MOST_PLACES = 500
NAME_SEPARATORS = re.compile(r"[\r\n,;]+")


class RatedDatasetsField(forms.ModelMultipleChoiceField):
    """Data sets from `datasets_to_rate`, with how many of their recordings nobody can rate."""

    def label_from_instance(self, obj: Dataset) -> str:
        count = getattr(obj, "placeholder_count", 0)
        if not count:
            return obj.name
        words = "1 recording is a placeholder" if count == 1 else f"{count} are placeholders"
        return f"{obj.name} ({words}, rated from the steps)"


class CampaignForm(forms.Form):
    """What a researcher decides about a campaign before anybody rates."""

    name = forms.CharField(
        **limits(NewCampaign, "name"),
        label="Name",
        help_text=(
            "Raters see it in their queue and above every trace, so do not name a data set,"
            " model or generator in it."
        ),
    )
    datasets = RatedDatasetsField(
        queryset=Dataset.objects.none(),
        to_field_name="public_id",
        widget=forms.CheckboxSelectMultiple,
        label="Data sets",
        help_text="All of their traces are rated. More can be added later.",
    )
    phase = forms.ChoiceField(
        choices=[("", "None yet: plan it first"), (Phase.PILOT, "Pilot"), (Phase.MAIN, "Main")],
        initial="",
        required=False,
        label="First round",
        help_text="With none yet you get a draft: change the guideline, plan a pilot, then open it."
        " Pilot and main are open at once, with all traces.",
    )
    overlap = forms.IntegerField(
        **limits(NewCampaign, "overlap", default_as="initial"),
        label="Raters per trace",
        help_text="Agreement needs at least 2. It is that of a first round that is open at once;"
        " with none yet, you say it when you plan one.",
    )
    guideline_version = forms.CharField(
        **limits(NewCampaign, "guideline_version", default_as="initial"),
        label="Guideline version",
        help_text="The name of the first version; its text is the built-in one. Every rating points"
        " to the version that it was given by.",
    )
    seed = forms.IntegerField(
        **limits(NewCampaign, "seed", default_as="initial"),
        label="Seed",
        help_text="Decides who gets which traces of that round, in which order.",
    )
    is_shared = forms.BooleanField(required=False, label="Every researcher of this site may see it")

    def __init__(
        self, user: User, data: QueryDict | None = None, *, chosen: Sequence[str] = ()
    ) -> None:
        """`chosen` are the public ids of the data sets that are ticked to begin with."""
        super().__init__(data, initial={"datasets": chosen})
        self.user = user
        # The name that raters should not read; sending it once more as `kept_name` keeps it.
        self.warned_name = ""
        choose_among(self, datasets=datasets_to_rate(user))

    def clean(self) -> dict[str, object]:
        cleaned = self.cleaned_data
        name = cleaned.get("name", "")
        warning = name_warning(self.user, name)
        if warning and self.data.get("kept_name") != name:
            self.warned_name = name
            self.add_error("name", f"{warning} Change it, or send the form again to keep it.")
        return cleaned

    def to_campaign(self) -> NewCampaign:
        cleaned = self.cleaned_data
        return NewCampaign(
            name=cleaned["name"],
            overlap=cleaned["overlap"],
            seed=cleaned["seed"],
            phase=Phase(cleaned["phase"]) if cleaned["phase"] else None,
            guideline_version=cleaned["guideline_version"],
            is_shared=cleaned["is_shared"],
        )


def datasets_to_rate(user: User) -> QuerySet[Dataset]:
    is_placeholder = Q(traces__has_placeholders=True, traces__video__isnull=False)
    return (
        visible_datasets(user)
        .filter(traces__isnull=False)
        .annotate(placeholder_count=Count("traces", filter=is_placeholder, distinct=True))
        .distinct()
        .order_by("name")
    )


class DatasetsForm(forms.Form):
    datasets = RatedDatasetsField(
        queryset=Dataset.objects.none(),
        to_field_name="public_id",
        widget=forms.CheckboxSelectMultiple,
        label="Add data sets",
        error_messages={"required": "Choose at least one data set to add."},
    )

    def __init__(self, user: User, campaign: Campaign, data: QueryDict | None = None) -> None:
        super().__init__(data)
        possible = campaign.round_kind.datasets(user)
        choose_among(self, datasets=possible.exclude(campaigns=campaign))


class RatersForm(forms.Form):
    """People for a campaign: accounts that exist, and names for which accounts are made."""

    raters = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        to_field_name="username",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="People with an account",
    )
    new_names = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="New accounts",
        help_text="User names, one per line. Each gets a first password, shown once.",
    )

    accounts_file = forms.FileField(
        required=False,
        label="Or a table of new accounts",
        help_text=(
            "A CSV file with the column username; first_name, last_name and email are optional."
        ),
    )

    def __init__(
        self,
        campaign: Campaign,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile] | None = None,
    ) -> None:
        super().__init__(data, files)
        members = CampaignRater.objects.filter(campaign=campaign).values("rater")
        # Researchers rate like anyone; accounts of `createsuperuser` are not anybody's own.
        people = User.objects.filter(is_active=True, is_superuser=False)
        choose_among(self, raters=people.exclude(pk__in=members).order_by("username"))

    def clean_new_names(self) -> list[str]:
        lines = NAME_SEPARATORS.split(self.cleaned_data["new_names"])
        names = [name.strip() for name in lines if name.strip()]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise forms.ValidationError(f"named twice: {', '.join(repeated)}")
        return names

    def clean_accounts_file(self) -> dict[str, dict[str, str]]:
        """The other fields of every account in the table, by user name."""
        file: UploadedFile | None = self.cleaned_data["accounts_file"]
        if file is None:
            return {}
        try:
            return accounts_in_table(file.read(ACCOUNTS_FILE_LIMIT + 1), name=file.name or "table")
        except AccountTableError as error:
            raise forms.ValidationError(error.problems) from error

    def clean(self) -> dict[str, object]:
        cleaned = self.cleaned_data
        names, table = cleaned.get("new_names", []), cleaned.get("accounts_file", {})
        both = sorted(set(names) & set(table))
        if both:
            self.add_error("new_names", f"also in the table: {', '.join(both)}")
        if not cleaned.get("raters") and not names and not table and not self.errors:
            raise forms.ValidationError("Choose people, or type the names of new accounts.")
        return cleaned

    @property
    def all_new_names(self) -> list[str]:
        return [*self.cleaned_data["new_names"], *self.cleaned_data["accounts_file"]]


class InvitationForm(forms.Form):
    places = forms.IntegerField(min_value=1, max_value=MOST_PLACES, initial=5, label="For how many")


class JoinForm(UserCreationForm):
    """The account that somebody makes who follows an invitation."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "username"
        ].help_text = "Letters, digits and @ . + - _. Researchers see it: it need not be your name."
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""
