"""Forms of the run pages."""

import secrets
import tomllib
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotation.models import Dataset, Take, User
from annotation.selectors.corpus.corpus import visible_datasets
from generation.engine.planner.exceptions import ProfileError
from generation.engine.planner.files.profile_files import (
    MAX_NAME_CHARACTERS,
    profile_from_dict,
)
from generation.engine.planner.profile import Profile
from generation.engine.planner.profiles import DEFAULT_PROFILE, SHIPPED_PROFILES
from generation.engine.run_options import NO_MODEL, RULES, RunOptions
from generation.engine.stages import Stage
from generation.forms.clips import FIELD_OF_OPTION, ClipOptionsForm
from generation.models import TextEndpoint, VideoEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user
from generation.selectors.launching.models import option_faults
from generation.selectors.launching.size import scenarios_of
from generation.services.runs import MAX_SEED, RunRequest

STAGE_LABELS = {
    Stage.PLAN: "Plan mistakes: where, which type, how severe",
    Stage.CORRECT: "Simulate corrections: what is noticed, when, and how it is corrected",
    Stage.WRITE: "Write the procedure with its mistakes and corrections",
    Stage.JUDGE: "Judge the text and repair what is wrong with it",
    Stage.VIDEO: "Make videos, for takes that have a recording",
    Stage.PUBLISH: "Publish the traces as a data set, ready to audit",
}
# Videos take minutes, all other stages seconds.
OPTIONAL_STAGES = frozenset({Stage.VIDEO})
PROFILE_FILE_LIMIT = 200_000
DRAWN_SEEDS = 1_000_000


def profile_choices() -> list[tuple[str, str]]:
    default_first = sorted(SHIPPED_PROFILES, key=lambda name: name != DEFAULT_PROFILE.name)
    return [(name, name) for name in default_first]


def profile_words() -> str:
    """The descriptions of the shipped profiles, which would not fit into a list of choices."""
    return " ".join(
        f"{name}: {SHIPPED_PROFILES[name].description}" for name, _ in profile_choices()
    )


class RunForm(ClipOptionsForm):
    """What to run on which takes. Scenarios and uids narrow the takes down; without both: all."""

    dataset = forms.ModelChoiceField(
        Dataset.objects.none(), to_field_name="public_id", label="Data set", empty_label=None
    )
    scenarios = forms.MultipleChoiceField(
        required=False, label="Scenarios", widget=forms.CheckboxSelectMultiple
    )
    take_uids = forms.CharField(
        required=False,
        label="Only these takes",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Uids, one per line. Empty: all takes of the scenarios.",
    )
    profile = forms.ChoiceField(choices=profile_choices, label="Profile", help_text=profile_words())
    profile_file = forms.FileField(
        required=False,
        label="Or a profile of your own",
        help_text="A TOML file that names the profile to start from and changes single values.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        label="Seed",
        help_text="The same seed gives a take the same plan, whatever other takes the run has.",
    )
    stages = forms.MultipleChoiceField(
        choices=[(str(stage), label) for stage, label in STAGE_LABELS.items()],
        label="Stages",
        widget=forms.CheckboxSelectMultiple,
    )
    writer = forms.ChoiceField(
        required=False,
        label="Writer",
        help_text="The built-in rules need no key and no network, and cost nothing.",
    )
    is_freeform = forms.BooleanField(
        required=False,
        label="Without a plan (baseline): the model makes up the mistakes itself",
    )
    judge = forms.ChoiceField(
        required=False,
        label="Who helps the judge to repair",
        help_text=(
            "The judge checks and repairs by rules; a model is asked only about what is left."
        ),
    )
    publishes_hard_findings = forms.BooleanField(
        required=False,
        label="Publish texts even if the judge's hard findings remain",
    )
    budget_usd = forms.FloatField(
        required=False,
        min_value=0.01,
        label="Budget in US dollars",
        help_text="The run stops before it could cost more. Empty: no limit.",
    )
    name = forms.CharField(
        max_length=200,
        required=False,
        label="Name",
        help_text="Empty: the data set's name and the seed.",
    )
    is_shared = forms.BooleanField(required=False, label="Every researcher of this site may see it")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        datasets = visible_datasets(user).filter(takes__isnull=False).distinct()
        cast("forms.ModelChoiceField[Dataset]", self.fields["dataset"]).queryset = datasets
        public_id = self.data.get("dataset") or self.initial.get("dataset")
        if public_id is not None:
            # PostgreSQL refuses a query with NUL in a text.
            public_id = str(public_id).replace("\x00", "")
        chosen = datasets.filter(public_id=public_id).first() if public_id else None
        self.chosen_dataset = chosen or datasets.first()
        if self.chosen_dataset is not None:
            cast("forms.MultipleChoiceField", self.fields["scenarios"]).choices = [
                (name, f"{name} ({count})") for name, count in scenarios_of(self.chosen_dataset)
            ]
        self.endpoints = list(endpoints_for_user(user, TextEndpoint))
        self.video_endpoints = endpoints_for_user(user, VideoEndpoint)
        named = [(item.public_id, f"{item.name} ({item.model_name})") for item in self.endpoints]
        self._offer("writer", [(RULES, "Rules"), *named])
        self._offer("judge", [(NO_MODEL, "Nobody: rules alone"), *named])
        self.offer_makers(user, [(RULES, "Rules"), *named])
        self.initial.setdefault("seed", secrets.randbelow(DRAWN_SEEDS))
        usual = [stage for stage in STAGE_LABELS if stage not in OPTIONAL_STAGES]
        self.initial.setdefault("stages", usual)

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = choices

    def clean_profile_file(self) -> Profile | None:
        uploaded: UploadedFile | None = self.cleaned_data["profile_file"]
        if uploaded is None:
            return None
        if (uploaded.size or 0) > PROFILE_FILE_LIMIT:
            raise forms.ValidationError(f"The file is larger than {PROFILE_FILE_LIMIT:,} bytes.")
        try:
            data = tomllib.loads(uploaded.read().decode("utf-8-sig"))
            name = (uploaded.name or "own").removesuffix(".toml")[:MAX_NAME_CHARACTERS]
            return profile_from_dict({"name": name, **data})
        except (ProfileError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise forms.ValidationError(f"{uploaded.name}: {error}") from error

    def clean(self) -> dict[str, Any]:
        """Check that the named takes exist, and store the chosen takes as `takes`."""
        cleaned = super().clean() or {}
        dataset = cleaned.get("dataset")
        if dataset is None:
            return cleaned
        uids = [line.strip() for line in cleaned.get("take_uids", "").splitlines() if line.strip()]
        takes = Take.objects.filter(dataset=dataset)
        if cleaned.get("scenarios"):
            takes = takes.filter(scenario__in=cleaned["scenarios"])
        if uids:
            takes = takes.filter(uid__in=uids)
            unknown = sorted(set(uids) - set(takes.values_list("uid", flat=True)))
            if unknown:
                self.add_error("take_uids", f"Not among the takes: {', '.join(unknown[:10])}.")
        cleaned["takes"] = takes
        checked = {"writer", "judge", "budget_usd", *FIELD_OF_OPTION.values()}
        if self.errors.keys().isdisjoint(checked):
            faults = option_faults(self.chosen_options(), self.endpoints, self.video_endpoints)
            for name, fault in faults.items():
                self.add_error(name, fault)
        return cleaned

    def chosen_profile(self) -> Profile:
        own: Profile | None = self.cleaned_data["profile_file"]
        return own or SHIPPED_PROFILES[self.cleaned_data["profile"]]

    def chosen_writer(self) -> TextEndpoint | None:
        """The endpoint that writes, None for the rules."""
        writer = self.cleaned_data["writer"]
        return next((item for item in self.endpoints if item.public_id == writer), None)

    def chosen_provider(self) -> VideoEndpoint | None:
        """The endpoint that makes the clips, None if none does."""
        maker = self.chosen_clips().endpoint
        return next((item for item in self.video_endpoints if item.public_id == maker), None)

    def chosen_options(self) -> RunOptions:
        """The models and the budget; by default the rules."""
        cleaned = self.cleaned_data
        return RunOptions(
            writer=cleaned["writer"] or RULES,
            judge=cleaned["judge"] or NO_MODEL,
            budget_usd=cleaned["budget_usd"],
            clips=self.chosen_clips(),
            is_freeform=cleaned["is_freeform"],
            publishes_hard_findings=cleaned["publishes_hard_findings"],
        )

    def to_request(self) -> RunRequest:
        cleaned = self.cleaned_data
        dataset: Dataset = cleaned["dataset"]
        return RunRequest(
            name=cleaned["name"] or f"{dataset.name}, seed {cleaned['seed']}",
            dataset=dataset,
            profile=self.chosen_profile(),
            seed=cleaned["seed"],
            stages=[Stage(stage) for stage in cleaned["stages"]],
            takes=cleaned["takes"],
            is_shared=cleaned["is_shared"],
            options=self.chosen_options().to_dict(),
        )


class BudgetForm(forms.Form):
    """A higher budget for a run."""

    budget_usd = forms.FloatField(min_value=0.01, label="Budget in US dollars")


class SeedForm(forms.Form):
    """One seed: of a clone, or of a plan to compare with."""

    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, label="Seed")
