"""The form for a new item set, with the settings of its task, and that for leaving items out."""

from typing import Any, cast

from django import forms

from annotation.models import User
from benchmarks.engine.division import (
    MOST_EXAMPLE_RECORDINGS,
    PARTS,
    TEST,
    TRAINING,
    UNITS,
    Division,
    ExampleRecordings,
)
from benchmarks.engine.task import Setting, Task
from benchmarks.engine.training_files import TrainingOptions
from benchmarks.selectors.sources import SOURCES
from benchmarks.services.askable import usable_endpoints
from benchmarks.services.item_sets import MAX_SEED, ItemSetRequest, OneOfSources
from benchmarks.services.reference_writing import LEAST_USD, MOST_USD

SHARES = (0.6, 0.2, 0.2)
SETTING = "setting_"
# The fields for several sources.
SEVERAL = ("more", *TRAINING)


class ItemSetForm(forms.Form):
    """What to make items from; the task's own settings are fields too."""

    name = forms.CharField(max_length=200, label="Name")
    source = forms.ChoiceField(label="Made of")
    more = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Mixed with",
        help_text="Figures are over all items, of each data set, and the mean of the data sets.",
    )
    train = forms.ChoiceField(
        required=False,
        label="Learn from (train)",
        help_text="Another one; those above are then only asked about (test).",
    )
    val = forms.ChoiceField(required=False, label="Choose models with (val)")
    seed = forms.IntegerField(min_value=0, max_value=MAX_SEED, initial=0, label="Seed")
    unit = forms.ChoiceField(
        choices=[("", "One part"), *((unit, f"By {unit}") for unit in UNITS)],
        required=False,
        label="Parts to train on and to test with",
    )
    shares = forms.CharField(
        max_length=60,
        required=False,
        initial=", ".join(f"{100 * share:g}" for share in SHARES),
        label=f"Shares of {', '.join(PARTS)} in %",
        help_text="Of the recordings, takes, …; they add up to 100.",
    )
    example_recordings = forms.IntegerField(
        min_value=0,
        max_value=MOST_EXAMPLE_RECORDINGS,
        initial=0,
        required=False,
        label="Or, without parts: recordings of each data set to show as examples",
        help_text="Nobody is asked about them; models that are asked in few-shot ways see some of"
        " their items, with what is right.",
    )
    is_shared = forms.BooleanField(
        required=False,
        label="Share the items with every researcher",
        help_text="Their truth stays with those who may read the data set.",
    )

    def __init__(self, *args: Any, user: User, task: Task, **more: Any) -> None:
        super().__init__(*args, **more)
        self.task = task
        source = cast(forms.ChoiceField, self.fields["source"])
        source.label = SOURCES[task.source].title
        kind = SOURCES[task.source]
        source.choices = choices = kind.choices(user)
        for name in SEVERAL:
            if kind.may_be_several and len(choices) > 1:
                several = cast(forms.ChoiceField, self.fields[name])
                several.choices = [*([] if name == "more" else [("", "None")]), *choices]
            else:
                del self.fields[name]
        if not any(variant.has_examples for variant in task.variants):
            del self.fields["example_recordings"]
        for setting in task.settings:
            self.fields[SETTING + setting.name] = _setting_field(setting)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        unit = cleaned.get("unit")
        cleaned["division"] = None
        if unit:
            written = cleaned.get("shares") or self.fields["shares"].initial
            try:
                train, val, test = (float(share) / 100 for share in written.split(","))
                cleaned["division"] = Division(unit, (train, val, test))
            except ValueError:
                words = f"It is {written!r}; expected three numbers that add up to 100."
                self.add_error("shares", words)
        if count := cleaned.get("example_recordings"):
            if unit:
                self.add_error("example_recordings", "There are parts already: they have examples.")
            cleaned["division"] = ExampleRecordings(count)
        return cleaned

    def to_request(self) -> ItemSetRequest:
        cleaned = self.cleaned_data
        sources = self._sources()
        return ItemSetRequest(
            name=cleaned["name"],
            task=self.task.name,
            source="" if sources else cleaned["source"],
            sources=sources,
            seed=cleaned["seed"],
            settings={
                setting.name: cleaned[SETTING + setting.name] for setting in self.task.settings
            },
            division=cleaned["division"],
            is_shared=cleaned["is_shared"],
        )

    def _sources(self) -> list[OneOfSources]:
        """Several sources; none where only one was chosen."""
        cleaned = self.cleaned_data
        learned = [(cleaned.get(part), part) for part in TRAINING]
        parts = [OneOfSources(public_id, part) for public_id, part in learned if public_id]
        # The first of them may be ticked among those to mix with as well.
        mixed = dict.fromkeys([cleaned["source"], *cleaned.get("more", [])])
        if len(mixed) + len(parts) == 1:
            return []
        return [*(OneOfSources(one, TEST if parts else "") for one in mixed), *parts]


class LeaveOutForm(forms.Form):
    """What to leave out: a number of guessers, or to balance."""

    BALANCE = "balance"
    at_least = forms.RegexField(rf"^({BALANCE}|[1-9])$")

    def clean_at_least(self) -> int | None:
        choice = self.cleaned_data["at_least"]
        return None if choice == self.BALANCE else int(choice)


def _setting_field(setting: Setting) -> forms.Field:
    shared: dict[str, Any] = {"initial": setting.default, "label": setting.title}
    if setting.choices:
        return forms.ChoiceField(choices=[(choice, choice) for choice in setting.choices], **shared)
    if setting.is_long:
        return forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}), **shared)
    if isinstance(setting.default, str):
        return forms.CharField(required=False, max_length=200, **shared)
    shared |= {"min_value": setting.least, "max_value": setting.most}
    kind = forms.IntegerField if isinstance(setting.default, int) else forms.FloatField
    return kind(**shared)


class ReferenceReviewForm(forms.Form):
    """The name of the campaign in which people review the right words of a set."""

    name = forms.CharField(max_length=200, label="Name of the campaign")


class ReferenceWritingForm(forms.Form):
    """Which text model writes the right words of a set, and for how much."""

    writer = forms.ChoiceField(label="Written by")
    budget_usd = forms.FloatField(
        min_value=LEAST_USD,
        max_value=MOST_USD,
        required=False,
        label="Budget in US dollars",
        help_text="The model stops there. What is written is kept: start it again with more.",
    )

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        writer = cast(forms.ChoiceField, self.fields["writer"])
        writer.choices = list(
            usable_endpoints(user).order_by("name").values_list("public_id", "name")
        )


class TrainingFilesForm(forms.Form):
    """What the training files of a set hold besides the examples."""

    leaves_out_shared = forms.BooleanField(
        required=False,
        label="Leave out what the part test shares",
        help_text="Recordings, goals, people, items. Without it, anything shared is refused.",
    )
    has_noisy = forms.BooleanField(
        required=False, label="Add copies whose plan is wrong, late, or has stale cues"
    )
    is_doubled = forms.BooleanField(
        required=False, label="Write interrupts twice instead of weighing them 2"
    )

    def to_options(self) -> TrainingOptions:
        return TrainingOptions(**self.cleaned_data)
