"""Who can make the clips of a run, and what is wrong with a choice."""

from collections.abc import Collection
from dataclasses import dataclass

from annotation.models import User
from generation.engine.run_options import BRIDGE, LONGEST_CROSS_FADE_S, MANUAL, ClipOptions


@dataclass(frozen=True, slots=True)
class ClipMaker:
    """One way to come by clips: its word in the options of a run, and what pages call it."""

    word: str
    label: str


PLACEHOLDERS = ClipMaker(BRIDGE, "Placeholders: no key, no network, free")
BY_HAND = ClipMaker(MANUAL, "By hand: you make every clip elsewhere and upload it")


def clip_makers_for(user: User) -> list[ClipMaker]:
    """Return the makers that the user may choose."""
    return [PLACEHOLDERS, BY_HAND]


def clip_option_faults(
    options: ClipOptions, *, makers: Collection[str], text_models: Collection[str]
) -> dict[str, str]:
    """Return what is wrong with each clip option, by its name; the words given may be used."""
    faults = {}
    if options.maker not in makers:
        faults["maker"] = "There is no such video model."
    if options.prompts not in text_models:
        faults["prompts"] = "There is no such text model."
    if not 0 <= options.cross_fade_s <= LONGEST_CROSS_FADE_S:
        faults["cross_fade_s"] = f"Expected 0 to {LONGEST_CROSS_FADE_S:g} s."
    return faults
