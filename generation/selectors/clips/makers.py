"""Who can make the clips of a run, and what is wrong with a choice."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from annotation.models import User
from generation.engine.run_options import BRIDGE, LONGEST_CROSS_FADE_S, MANUAL, ClipOptions
from generation.models import VideoEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user


@dataclass(frozen=True, slots=True)
class ClipMaker:
    """One way to get clips: its word in the options of a run, and its name on pages.

    `fault` says why it cannot be chosen now; empty if it can.
    """

    word: str
    label: str
    fault: str = ""


MAKER_WORDS = {BRIDGE: "placeholder", MANUAL: "by hand"}
PLACEHOLDERS = ClipMaker(BRIDGE, "Placeholders: no key, no network, free")
BY_HAND = ClipMaker(MANUAL, "By hand: you make every clip elsewhere and upload it")


def clip_makers_for(user: User) -> list[ClipMaker]:
    return [PLACEHOLDERS, BY_HAND, *map(_provider, endpoints_for_user(user, VideoEndpoint))]


def _provider(endpoint: VideoEndpoint) -> ClipMaker:
    fault = endpoint.fault
    label = f"{endpoint.name}: {endpoint.provider_title}, {endpoint.model_name}"
    return ClipMaker(
        endpoint.public_id,
        f"{label} (cannot be used now)" if fault else label,
        f"{endpoint.name} cannot be used: {fault}" if fault else "",
    )


def maker_name(word: str) -> str:
    """The name of a maker of clips on pages (one query if it is a provider)."""
    if word in MAKER_WORDS:
        return MAKER_WORDS[word]
    names = VideoEndpoint.objects.filter(public_id=word).values_list("name", flat=True)
    return names.first() or "a video model that was deleted"


def makers_in_words(makers: str) -> str:
    """The names of a video's makers on pages; `makers` is a list of words as stored."""
    return ", ".join(MAKER_WORDS.get(word, word) for word in makers.split(", "))


def clip_option_faults(
    options: ClipOptions, *, makers: Iterable[ClipMaker], text_models: Collection[str]
) -> dict[str, str]:
    """What is wrong with clip options, by name; `text_models` are the ids that may be used."""
    faults = {}
    faults_of = {maker.word: maker.fault for maker in makers}
    if fault := faults_of.get(options.maker, "There is no such video model."):
        faults["maker"] = fault
    if options.prompts not in text_models:
        faults["prompts"] = "There is no such text model."
    if not 0 <= options.cross_fade_s <= LONGEST_CROSS_FADE_S:
        faults["cross_fade_s"] = f"Expected 0 to {LONGEST_CROSS_FADE_S:g} s."
    if options.reviews_prompts and options.maker == MANUAL:
        faults["reviews_prompts"] = (
            "With clips made by hand you send every prompt yourself, so none waits for a review."
        )
    return faults
