"""The part of the launch form that is about clips."""

from collections.abc import Iterable
from typing import cast

from django import forms

from annotation.models import User
from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import BRIDGE, LONGEST_CROSS_FADE_S, MANUAL, RULES, ClipOptions
from generation.selectors.clips.makers import clip_makers_for

VIEW_LABELS = {
    View.EGOCENTRIC: "Worn on the head",
    View.FIXED: "Standing still",
}
# The form's fields for the options that can be wrong.
FIELD_OF_OPTION = {name: f"clip_{name}" for name in ("maker", "prompts", "view", "cross_fade_s")}


class ClipOptionsForm(forms.Form):
    """Where the video stage gets its clips."""

    clip_maker = forms.ChoiceField(
        required=False,
        label="Who makes the clips",
        help_text="Clips are made only for mistakes and corrections; the rest stays as recorded.",
    )
    clip_prompts = forms.ChoiceField(
        required=False,
        label="Who writes the prompts of clips",
        help_text="A prompt says what a clip shows, for a video model or a person to make.",
    )
    clip_view = forms.ChoiceField(
        required=False,
        choices=[(str(view), label) for view, label in VIEW_LABELS.items()],
        label="The camera of the recordings",
    )
    clip_cross_fade_s = forms.FloatField(
        required=False,
        min_value=0,
        max_value=LONGEST_CROSS_FADE_S,
        label="Cross-fade at the joins, in seconds",
        help_text="Empty or 0: a plain cut. The times of steps do not change.",
    )
    clip_reviews_prompts = forms.BooleanField(
        required=False, label="I review every prompt before it is sent"
    )
    # A browser does not send an unticked box, so the boxes switch off what is usually on.
    clip_hides_caption = forms.BooleanField(
        required=False, label="Leave the step's text out of placeholders"
    )
    clip_hides_mark = forms.BooleanField(
        required=False, label="Do not mark placeholders as placeholders"
    )

    def offer_makers(self, user: User, text_models: Iterable[tuple[str, str]]) -> None:
        """Offer what the user may choose; `text_models` are the choices of prompt writers."""
        makers = clip_makers_for(user)
        self.maker_faults = {maker.word: maker.fault for maker in makers if maker.fault}
        choices = [(maker.word, maker.label) for maker in makers]
        cast("forms.ChoiceField", self.fields["clip_maker"]).choices = choices
        cast("forms.ChoiceField", self.fields["clip_prompts"]).choices = list(text_models)

    def clean_clip_maker(self) -> str:
        """Refuse a provider from which nothing can be ordered now, with the reason."""
        maker: str = self.cleaned_data["clip_maker"]
        if fault := self.maker_faults.get(maker):
            raise forms.ValidationError(fault)
        return maker

    @property
    def shows_clips(self) -> bool:
        """Whether to open the section about clips: it has errors, or is not on its defaults."""
        maker = self["clip_maker"].value()
        has_errors = any(self.errors.get(name) for name in FIELD_OF_OPTION.values())
        return has_errors or maker not in {None, "", BRIDGE}

    def chosen_clips(self) -> ClipOptions:
        """The options; by default placeholders, with prompts by the rules."""
        chosen = self.cleaned_data
        return ClipOptions(
            maker=chosen["clip_maker"] or BRIDGE,
            prompts=chosen["clip_prompts"] or RULES,
            view=View(chosen["clip_view"] or View.EGOCENTRIC),
            shows_caption=not chosen["clip_hides_caption"],
            is_marked=not chosen["clip_hides_mark"],
            cross_fade_s=chosen["clip_cross_fade_s"] or 0.0,
            # The page hides this box for clips made by hand, and it may still be ticked.
            reviews_prompts=chosen["clip_reviews_prompts"] and chosen["clip_maker"] != MANUAL,
        )
