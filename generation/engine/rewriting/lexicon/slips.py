"""Small extra actions that go wrong: what a slip is, and what puts it right again.

A slip is `text | repair`. A slot in braces is a thing of the scene near the place of the slip, of
one of the kinds behind its name (`SLOT_KINDS`), or, for the slots of `AMBIENT`, a thing that the
place has anyway. `[a/b]` says a slip in several ways, and its repair with it (`_ways_of`). No slip
takes away what later steps need. Written for PIE-V.
"""

import itertools
import re
from collections.abc import Iterator
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
    "held": frozenset(
        {"stirrer", "measure", "tool", "striker", "lever", "needle", "rod", "roller", "tweezers"}
        | {"lighter", "cap"}
    ),
    "spanner": frozenset({"tool", "lever", "striker", "needle"}),
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
    "sticky": frozenset({"sticky"}),
    "bin": frozenset({"bin"}),
    "bread": frozenset({"bread", "sandwich"}),
    "large": frozenset({"wheel", "frame part", "office device", "bin"}),
    "upright": frozenset({"vessel", "boiler", "machine", "office device", "pot", "bin"}),
    "bottled": frozenset({"oil", "sauce", "lubricant", "degreasing", "solution", "soap"}),
    "thing": frozenset(
        {"dish", "vessel", "vial", "cookware", "packaging", "jar", "boiler", "machine", "dripper"}
        | {"board", "document", "record", "chart", "page", "tool", "pump", "wheel", "tyre", "tube"}
        | {"rim", "frame part", "drive", "cover", "supply", "office device", "pot", "bin", "iron"}
        | {"release", "brake", "roller", "sieve", "lid", "part", PIECE}
    ),
    "soap": frozenset({"soap"}),
    "jewel": frozenset({"jewel"}),
    "hot": frozenset({"iron"}),
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


# A list of ways to say a part of a slip, and what stands between two of them.
_WAYS = re.compile(r"\[([^\]]*)\]")
WAY_SEPARATOR = "/"


@cache
def slips_of(domain: Domain) -> tuple[Slip, ...]:
    """Return the slips of a domain, each way of each; every domain can use the general ones."""
    lines = re.sub(r"\|\n\s*", "| ", _SLIPS[domain]).strip().splitlines()
    return tuple(slip for line in lines for slip in _ways_of(*line.split("|")))


def _ways_of(text: str, repair: str) -> Iterator[Slip]:
    """Yield a line of the word lists with one way of each of its lists.

    A list of the repair goes with the list of the text that is as long and shares most words.

    >>> [slip.repair for slip in _ways_of("Drop it [on a toe/in soup]", "Take it [off/out]")]
    ['Take it off', 'Take it out']
    """
    told, answers = _lists(text), _lists(repair)
    pairs = [_partner(answer, told) for answer in answers]
    for chosen in itertools.product(*(range(len(ways)) for ways in told)):
        mended = _said(
            repair, [answer[chosen[k]] for answer, k in zip(answers, pairs, strict=True)]
        )
        yield Slip(_said(text, [ways[k] for ways, k in zip(told, chosen, strict=True)]), mended)


def _lists(part: str) -> list[list[str]]:
    return [ways.split(WAY_SEPARATOR) for ways in _WAYS.findall(part)]


def _partner(answer: list[str], told: list[list[str]]) -> int:
    fitting = [k for k, ways in enumerate(told) if len(ways) == len(answer)]
    shared = {
        k: sum(bool(set(a.split()) & set(b.split())) for a, b in zip(answer, told[k], strict=True))
        for k in fitting
    }
    return max(fitting, key=shared.__getitem__)


def _said(part: str, ways: list[str]) -> str:
    order = iter(ways)
    return _WAYS.sub(lambda _: next(order), part).strip()
