"""The part of a launch over the API that is about clips."""

from typing import Any

from rest_framework import serializers

from annotation.api.bodies import Body
from annotation.models import User
from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import BRIDGE, LONGEST_CROSS_FADE_S, RULES, ClipOptions
from generation.selectors.calls.endpoints import visible_endpoints
from generation.selectors.clips.makers import clip_makers_for, clip_option_faults, review_fault


class ClipOptionsSerializer(Body):
    """How clips are made. `maker`: `bridge` (placeholders), `manual` or the id of a video model."""

    maker = serializers.CharField(default=BRIDGE)
    prompts = serializers.CharField(
        default=RULES, help_text="`rules`, or the id of a text endpoint that writes the prompts."
    )
    view = serializers.ChoiceField(
        choices=[str(view) for view in View], default=str(View.EGOCENTRIC)
    )
    shows_caption = serializers.BooleanField(default=True)
    is_marked = serializers.BooleanField(default=True)
    cross_fade_s = serializers.FloatField(default=0.0, min_value=0, max_value=LONGEST_CROSS_FADE_S)
    reviews_prompts = serializers.BooleanField(default=False)


def checked_clips(user: User, data: dict[str, Any]) -> ClipOptions:
    """Return the options of a launch; raise ValidationError for a model that is not the user's."""
    clips = ClipOptions.from_dict(data)
    faults = clip_option_faults(
        clips,
        makers=clip_makers_for(user),
        text_models={RULES, *visible_endpoints(user).values_list("public_id", flat=True)},
    )
    if fault := review_fault(clips):
        faults["reviews_prompts"] = fault
    if faults:
        raise serializers.ValidationError({"clips": {name: [it] for name, it in faults.items()}})
    return clips
