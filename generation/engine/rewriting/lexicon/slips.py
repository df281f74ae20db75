"""Small extra actions that go wrong: what a slip is, and what puts it right again.

A slip is `text | repair`. A slot in braces is a thing of the scene near the place of the slip, of
one of the kinds behind its name (`SLOT_KINDS`), or, for the slots of `AMBIENT`, a thing that the
place has anyway. No slip takes away what later steps need. Written for PIE-V.
"""

from dataclasses import dataclass
from functools import cache

from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.slip_lists import (
    bicycle,
    first_aid,
    general,
    kitchen,
    laboratory,
)

# Stands for a thing of no known kind that is put to another one.
PIECE = "piece"
SLOT_KINDS: dict[str, frozenset[str]] = {
    "liquid": frozenset(
        {"liquid", "water", "oil", "sauce", "drink", "solution", "lubricant", "fluid", "mixture"}
        | {"degreasing"}
    ),
    "powder": frozenset({"spice", "seasoning", "powder", "brew", "earth", "herb", "nuts"}),
    "soft": frozenset({"batter", "dough", "salad", "fat", "sauce", "cooked"}),
    "food": frozenset(
        {"vegetable", "leaf", "fruit", "cherry", "starch", "fish", "cooked", "salad", "cheese"}
        | {"sandwich"}
    ),
    "produce": frozenset({"vegetable", "fruit", "cherry", "leaf"}),
    "egg": frozenset({"egg"}),
    "container": frozenset({"dish", "vessel", "vial"}),
    "filled": frozenset({"vessel", "vial"}),
    "flowerpot": frozenset({"pot"}),
    "pan": frozenset({"cookware"}),
    "pack": frozenset({"packaging", "jar"}),
    "utensil": frozenset({"stirrer", "measure"}),
    "blade": frozenset({"cutter", "cutting tool"}),
    "spanner": frozenset({"tool", "lever", "striker", "pump", "needle"}),
    "turner": frozenset({"tool"}),
    "bikepart": frozenset({"fastener", "brake", "drive", "frame part", "release"}),
    "round": frozenset({"wheel"}),
    "rubber": frozenset({"tyre", "tube"}),
    "innertube": frozenset({"tube"}),
    "valve": frozenset({"valve"}),
    "cloth": frozenset({"cloth"}),
    "swab": frozenset({"swab"}),
    "rod": frozenset({"rod"}),
    "indicator": frozenset({"indicator"}),
    "sheet": frozenset({"document", "chart"}),
    "patient": frozenset({"person"}),
    "body": frozenset({"body"}),
    "wound": frozenset({"wound"}),
    "dressing": frozenset({"dressing"}),
    "protection": frozenset({"protection", "wear"}),
    "paper": frozenset({"document", "record", "page"}),
    "shoot": frozenset({"plant part"}),
    "plant": frozenset({"plant"}),
    "supply": frozenset({"supply"}),
    "device": frozenset({"office device", "machine", "boiler"}),
    "panel": frozenset({"cover"}),
    "board": frozenset({"board"}),
    "surface": frozenset({"surface"}),
    "part": frozenset({"part", PIECE}),
}  # fmt: skip

AMBIENT: dict[str, dict[Domain, str]] = {
    "surface": {
        Domain.KITCHEN: "countertop", Domain.BICYCLE: "floor", Domain.LABORATORY: "table",
        Domain.FIRST_AID: "floor", Domain.GENERAL: "table",
    },
}  # fmt: skip

_SLIPS = {
    Domain.KITCHEN: kitchen.SLIPS,
    Domain.BICYCLE: bicycle.SLIPS,
    Domain.LABORATORY: laboratory.SLIPS,
    Domain.FIRST_AID: first_aid.SLIPS,
    Domain.GENERAL: general.SLIPS,
}


# What a person might do in place of a step that names nothing to be confused.
INSTEAD: dict[Domain, tuple[str, ...]] = {
    Domain.KITCHEN: (
        "Check the phone for messages", "Fold the kitchen towel", "Rinse both hands under the tap",
        "Look for a clean apron", "Open the window", "Push the stool out of the way",
        "Wipe the crumbs off the countertop", "Take out the trash", "Read the recipe once more",
        "Sharpen a knife", "Line up the spice jars", "Check the clock",
    ),
    Domain.BICYCLE: (
        "Sort the tools on the floor", "Spin the front wheel by hand", "Wipe the saddle",
        "Ring the bell", "Lean the bike against the wall", "Look for the gloves",
        "Turn the handlebar straight", "Sweep the floor", "Check the brake lever",
        "Read the leaflet of the repair kit", "Wipe the greasy hands on a rag",
        "Count the tools in the box",
    ),
    Domain.LABORATORY: (
        "Fill in the date on the form", "Wipe the table", "Set the timer", "Put on a second glove",
        "Count the parts of the kit", "Photograph the package", "Rinse the sink",
        "Straighten the labels", "Read the leaflet once more", "Check the clock",
        "Look for a pen", "Open the window",
    ),
    Domain.FIRST_AID: (
        "Search the drawer for a thermometer", "Sort the first aid kit", "Fetch a pillow",
        "Look for a place to sit down", "Read the leaflet of the first aid kit",
        "Check the clock", "Open the window", "Take off the shoes", "Tidy up the table",
        "Look for a pair of glasses", "Roll up both sleeves", "Drink a glass of water",
    ),
    Domain.GENERAL: (
        "Tidy up the table", "Check the phone for messages", "Look for the manual",
        "Wipe the dust off the shelf", "Open the window", "Move the chair out of the way",
        "Switch on the desk lamp", "Sweep the floor", "Look for a pair of glasses",
        "Check the clock", "Count the parts on the table", "Stretch both arms",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistaken extra action with slots, and the action that puts it right."""

    text: str
    repair: str


@cache
def slips_of(domain: Domain) -> tuple[Slip, ...]:
    """Return the slips of a domain; every domain can fall back on the general ones."""
    lines = _SLIPS[domain].replace("|\n", "|").strip().splitlines()
    return tuple(Slip(*(part.strip() for part in line.split("|"))) for line in lines)
