"""Forms of the raters' page and the planner."""

from dataclasses import fields

from django import forms
from django.http import QueryDict

from annotation.analytics.raters.screening_terms import Rule, Thresholds
from annotation.services.campaigns.rounds import OVERLAP

# What each threshold says on the page: label and help.
THRESHOLD_WORDS = {
    "watched_share": ("Watched, least share", "of the time of each event"),
    "gold_share": ("Gold, least share", "of gold answers in the accepted band"),
    "trap_share": ("Traps, least share", "of traps answered right"),
    "seconds_per_event": ("Seconds per event, least", "median over traces, pauses cut"),
    "run_length": ("Longest run, from", "one value in a row that others do not mostly give too"),
    "variance": ("Variance of answers, least", "of 1-5 answers, within each metric"),
    "repeat_share": ("Same answer again, least share", "of answers to traces given twice"),
    "correlation": (
        "Agreement with the others, least",
        "correlation, over metrics that ask for no opinion",
    ),
    "z": ("z, from", "for bias, drift and skipping; raised for the number of metrics"),
    "bias_points": ("Bias, from", "points of a 1-5 scale, and z"),
    "bias_share": ("Bias of yes/no, from", "share of answers, and z"),
    "drift_points": ("Drift, from", "points of a 1-5 scale from first to last, and z"),
    "drift_share": ("Drift of yes/no, from", "share of answers from first to last, and z"),
    "skip_share": ("Skip rules, from", "difference in share to the others, and z"),
}
RULE_WORDS = {
    Rule.WATCHED: "Watched",
    Rule.GOLD: "Gold",
    Rule.TRAPS: "Traps",
    Rule.SPEED: "Speed",
    Rule.RUN: "Runs of one value",
    Rule.VARIANCE: "Variance of answers",
    Rule.REPEATS: "Repeats",
    Rule.AGREEMENT: "Agreement with the others",
    Rule.BIAS: "Bias",
    Rule.DRIFT: "Drift",
    Rule.SKIPPING: "Skip rules",
}


class ThresholdsForm(forms.Form):
    """One number per threshold, within its range."""

    def __init__(self, data: QueryDict | None = None, *, limits: Thresholds | None = None) -> None:
        super().__init__(data, prefix="threshold")
        thresholds = limits or Thresholds()
        for item in fields(Thresholds):
            label, help_text = THRESHOLD_WORDS[item.name]
            self.fields[item.name] = forms.FloatField(
                label=label,
                help_text=help_text,
                initial=getattr(thresholds, item.name),
                **item.metadata,
                widget=forms.NumberInput(attrs={"step": "any"}),
            )


class DecisionForm(forms.Form):
    rater = forms.CharField(max_length=150)
    decision = forms.ChoiceField(choices=(("accepted", "Accept"), ("excluded", "Exclude")))
    why = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 2}))


class PlanForm(forms.Form):
    """The numbers that the workload is computed from."""

    traces = forms.IntegerField(min_value=1, max_value=100_000, label="Traces")
    events_per_trace = forms.FloatField(
        min_value=0.1,
        max_value=1000,
        label="Events per trace",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    overlap = forms.IntegerField(**OVERLAP, label="Raters per trace")
    raters = forms.IntegerField(min_value=1, max_value=500, label="Raters")
    minutes = forms.FloatField(
        min_value=0.01,
        max_value=600,
        label="Minutes per event",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    hours_per_week = forms.FloatField(
        min_value=0.1,
        max_value=80,
        label="Hours a week for each rater",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    starts_on = forms.DateField(label="Start", widget=forms.DateInput(attrs={"type": "date"}))
    alpha = forms.FloatField(
        min_value=0,
        max_value=0.99,
        label="α to be shown",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
