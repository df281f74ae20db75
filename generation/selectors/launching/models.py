"""Check and name the models that a run uses."""

from collections.abc import Iterable
from dataclasses import replace

from annotation.models import User
from generation.engine.run_options import NO_MODEL, RULES, RunOptions
from generation.models import Run, TextEndpoint, VideoEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user
from generation.selectors.clips.makers import clip_makers_for, clip_option_faults, maker_name

# Names on pages for the two words that stand for no endpoint.
WORDS = {RULES: "rules", NO_MODEL: "nobody"}


def option_faults(
    options: RunOptions,
    endpoints: Iterable[TextEndpoint],
    video_endpoints: Iterable[VideoEndpoint],
) -> dict[str, str]:
    """What is wrong with options, by name; `endpoints` are those that the user may use."""
    usable = {endpoint.public_id: endpoint for endpoint in endpoints}
    faults = {
        name: "There is no such text model."
        for name, word, none in (
            ("writer", options.writer, RULES),
            ("judge", options.judge, NO_MODEL),
        )
        if word != none and word not in usable
    }
    if options.is_freeform and options.writer == RULES:
        faults["writer"] = (
            "The rules can only write planned mistakes; writing without a plan needs a text model."
        )
    chosen = [usable[word] for word in options.models if word in usable]
    unpriced = [endpoint.name for endpoint in chosen if not endpoint.has_prices]
    unpriced += [
        endpoint.name
        for endpoint in video_endpoints
        if endpoint.public_id == options.clips.endpoint and not endpoint.has_prices
    ]
    if options.budget_usd is not None and unpriced:
        faults["budget_usd"] = f"A budget needs the prices of {', '.join(unpriced)}."
    return faults


def launch_faults(user: User, options: RunOptions) -> tuple[dict[str, str], dict[str, str]]:
    """(Faults by option of the run, faults by clip option) for a run that the user launches."""
    endpoints = list(endpoints_for_user(user, TextEndpoint))
    faults = option_faults(options, endpoints, endpoints_for_user(user, VideoEndpoint))
    text_models = {RULES, *(endpoint.public_id for endpoint in endpoints)}
    return faults, clip_option_faults(
        options.clips, makers=clip_makers_for(user), text_models=text_models
    )


def options_unusable_for(user: User, run: Run) -> list[str]:
    """Why a user may not launch a run with the options of this one; empty if they may."""
    options = RunOptions.from_dict(run.options)
    # Older runs may ask for a review of prompts of clips made by hand, which is refused today.
    clips = replace(options.clips, reviews_prompts=False)
    faults, clip_faults = launch_faults(user, replace(options, clips=clips))
    return [
        f"{name.removesuffix('_usd').capitalize()}: {fault}"
        for name, fault in (faults | clip_faults).items()
    ]


def model_names(run: Run) -> dict[str, str]:
    """The names of writer, judge and maker of clips (queries only for endpoints)."""
    options = RunOptions.from_dict(run.options)
    names = dict(WORDS)
    if options.models:
        rows = TextEndpoint.objects.filter(public_id__in=options.models)
        names |= dict(rows.values_list("public_id", "name"))
    deleted = "a model that was deleted"
    return {
        "writer": names.get(options.writer, deleted),
        "judge": names.get(options.judge, deleted),
        "clips": maker_name(options.clips.maker),
    }
