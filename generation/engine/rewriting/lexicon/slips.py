"""Small extra actions that go wrong: what a slip is, and what puts it right again.

A slip is `text | repair`. A slot in braces is a thing of the scene near the place of the slip, of
one of the kinds behind its name (`SLOT_KINDS`), or, for the slots of `AMBIENT`, a thing that the
place has anyway. No slip takes away what later steps need. Written for PIE-V.
"""

from dataclasses import dataclass
from functools import cache

from generation.engine.rewriting.lexicon.domains import Domain

SLOT_KINDS: dict[str, frozenset[str]] = {
    "liquid": frozenset({"liquid", "oil", "sauce", "drink", "solution", "lubricant", "fluid"}),
    "powder": frozenset({"spice", "seasoning", "powder", "brew", "earth", "herb", "nuts"}),
    "food": frozenset(
        {"vegetable", "leaf", "fruit", "cherry", "starch", "egg", "batter", "fish", "cooked"}
        | {"salad"}
    ),
    "produce": frozenset({"vegetable", "fruit", "cherry", "leaf"}),
    "container": frozenset({"dish", "vessel", "vial", "pot"}),
    "pan": frozenset({"cookware"}),
    "pack": frozenset({"packaging"}),
    "utensil": frozenset({"stirrer", "measure"}),
    "blade": frozenset({"cutter"}),
    "spanner": frozenset({"tool", "lever", "striker", "pump", "needle"}),
    "bikepart": frozenset({"fastener", "brake", "drive", "frame part", "release"}),
    "round": frozenset({"wheel", "tyre"}),
    "valve": frozenset({"valve"}),
    "cloth": frozenset({"cloth"}),
    "swab": frozenset({"swab"}),
    "indicator": frozenset({"indicator"}),
    "body": frozenset({"body"}),
    "limb": frozenset({"limb"}),
    "dressing": frozenset({"dressing"}),
    "protection": frozenset({"protection", "wear"}),
    "paper": frozenset({"document", "record"}),
    "shoot": frozenset({"plant part"}),
    "supply": frozenset({"supply"}),
    "board": frozenset({"board"}),
    "surface": frozenset({"surface"}),
}  # fmt: skip

AMBIENT: dict[str, dict[Domain, str]] = {
    "surface": {
        Domain.KITCHEN: "countertop", Domain.BICYCLE: "floor", Domain.LABORATORY: "table",
        Domain.FIRST_AID: "floor", Domain.GENERAL: "table",
    },
}  # fmt: skip

_SLIPS = {
    Domain.KITCHEN: """
Spill some of the {liquid} on the {surface} |
    Wipe the spilled {liquid} off the {surface}
Drip {liquid} along the {surface} |
    Mop up the drips of {liquid} on the {surface}
Splash {liquid} over the edge of the {container} |
    Wipe the splashed {liquid} off the {container}
Pour extra {liquid} into the {pan} |
    Ladle the extra {liquid} out of the {pan}
Tip too much {liquid} into the {container} |
    Pour the excess {liquid} out of the {container}
Scatter some {powder} over the {surface} |
    Sweep the scattered {powder} off the {surface}
Sprinkle {powder} beside the {container} |
    Brush the {powder} away from the {container}
Shake {powder} onto the {pan} handle |
    Wipe the {powder} off the {pan} handle
Rest the dripping {utensil} on the {surface} |
    Pick up the {utensil} and wipe the drips off the {surface}
Lick the {utensil} and keep using it |
    Rinse the licked {utensil} under the tap
Dip a finger into the {food} |
    Wash the finger and scrape off the touched {food}
Drop a piece of the {food} on the floor |
    Pick the dropped piece of {food} up from the floor
Squash some of the {food} on the {surface} |
    Scrape the squashed {food} off the {surface}
Touch the bottom of the {pan} with greasy fingers |
    Wipe the finger marks off the bottom of the {pan}
Bang the {utensil} against the {pan} |
    Check the {pan} for dents from the {utensil}
Tilt the {pan} until its contents slop over |
    Set the {pan} level and wipe off what slopped over
Tear the {pack} open along the side |
    Fold the torn side of the {pack} shut
Knock the {pack} over on the {surface} |
    Stand the {pack} upright on the {surface} again
Leave the {pack} open at the edge of the {surface} |
    Close the {pack} and push it back from the edge
Wipe the {blade} on a sleeve |
    Rinse the {blade} that touched the sleeve
Nick the {board} with the {blade} |
    Scrape the splinters off the {board}
Balance the {container} on the edge of the {surface} |
    Move the {container} away from the edge of the {surface}
Stack the wet {container} under a dry bowl |
    Take the wet {container} out from under the dry bowl
Smear juice of the {produce} across the {surface} |
    Wipe the juice of the {produce} off the {surface}
Drag the {cloth} through a puddle on the {surface} |
    Wring out the {cloth} over the sink
Splatter the {paper} with water |
    Pat the wet {paper} dry
""",
    Domain.BICYCLE: """
Drip {liquid} onto the floor beside the bike |
    Wipe the {liquid} off the floor beside the bike
Smear {liquid} on the brake rotor |
    Clean the {liquid} off the brake rotor
Squirt {liquid} onto the saddle |
    Wipe the {liquid} off the saddle
Scratch the frame with the {spanner} |
    Wipe the scratched frame and set the {spanner} straight
Turn the {spanner} backwards by half a turn |
    Turn the {spanner} forwards again by half a turn
Lean the {spanner} against the spokes |
    Take the {spanner} away from the spokes
Bump the {round} against the bike stand |
    Move the {round} clear of the bike stand
Spin the {round} while holding the brake |
    Let go of the brake and stop the {round}
Rub a greasy thumb along the {round} |
    Wipe the thumb marks off the {round}
Squeeze the brake lever with no need |
    Let go of the brake lever and check that it springs back
Shift the chain onto the smallest sprocket by hand |
    Lift the chain back onto its own sprocket
Pinch a finger between the {bikepart} and the frame |
    Pull the finger free and check the {bikepart}
Push the {bikepart} sideways |
    Push the {bikepart} back into line
Tap the {bikepart} with the {spanner} |
    Check the {bikepart} for marks of the {spanner}
Press the {valve} and let some air out |
    Pump the lost air back in through the {valve}
Wipe the {valve} with a greasy finger |
    Clean the grease off the {valve}
Drag the {cloth} over the gritty floor |
    Shake the grit out of the {cloth}
Pedal the crank with one hand until it jams |
    Turn the jammed crank back by hand
""",
    Domain.LABORATORY: """
Touch the tip of the {swab} with bare fingers |
    Wipe the tip of the {swab} and hold it by the shaft
Brush the {swab} against a sleeve |
    Take the sleeve away from the {swab}
Lay the tip of the {swab} on the {surface} |
    Lift the tip of the {swab} off the {surface}
Spill a few drops of the {liquid} on the {surface} |
    Blot the drops of {liquid} off the {surface}
Shake the {container} until it foams |
    Let the foam in the {container} settle
Tilt the {container} until it nearly runs out |
    Hold the {container} upright again
Breathe on the open {container} |
    Turn away from the open {container} and cover it by hand
Press a thumb on the window of the {indicator} |
    Wipe the thumb mark off the {indicator}
Turn the {indicator} face down on the {surface} |
    Turn the {indicator} face up on the {surface}
Shake the {indicator} like a thermometer |
    Lay the {indicator} flat and keep it still
Crumple the {paper} |
    Smooth out the crumpled {paper}
Fold the {paper} under the {container} |
    Pull the folded {paper} out from under the {container}
Tear the {pack} across the printed side |
    Tape the torn side of the {pack}
Sweep the {pack} off the {surface} with an elbow |
    Pick the {pack} up and set it on the {surface}
Scratch the nose with a gloved hand |
    Change the glove that touched the nose
Push the {protection} up with a wet finger |
    Wipe the wet mark off the {protection}
Lean on the {surface} with an unwashed hand |
    Wipe the hand print off the {surface}
""",
    Domain.FIRST_AID: """
Tilt the patient's head to one side and let go |
    Bring the patient's head back to the middle
Lean on the patient's stomach with one elbow |
    Take the elbow off the patient's stomach
Shake the patient's leg |
    Let go of the patient's leg and lay it flat
Lift the patient's shoulders off the ground |
    Lower the patient's shoulders to the ground
Slap the patient's cheek |
    Take the hand away from the patient's cheek
Loosen a shoelace of the patient |
    Turn away from the shoelace and back to the patient's chest
Kneel on the patient's sleeve |
    Free the patient's sleeve and kneel beside it
Pinch the {limb} of the patient |
    Let go of the pinched {limb} of the patient
Press on the patient's {body} with one finger |
    Take the finger off the patient's {body}
Check a wristwatch in the middle of the care |
    Lower the wristwatch and turn back to the patient
Drop the {dressing} on the {surface} |
    Replace the {dressing} that fell on the {surface}
Touch the {dressing} with bare fingers |
    Swap the touched {dressing} for a fresh one
Rub the skin with a sleeve |
    Pat the rubbed skin clean
Splash the {liquid} on the {surface} |
    Dry the splashed {liquid} on the {surface}
Blow on the wound |
    Turn the face away and clean the wound once more
Stretch the {protection} until it tears a little |
    Replace the torn {protection}
""",
    Domain.GENERAL: """
Bump against the {surface} and shift everything on it |
    Push what was shifted on the {surface} back into place
Spill some of the {liquid} on the {surface} |
    Wipe the spilled {liquid} off the {surface}
Scatter some {powder} on the {surface} |
    Sweep the scattered {powder} off the {surface}
Knock the {container} against the {surface} |
    Check the {container} for cracks from the knock
Bend the {shoot} with a thumb |
    Straighten the bent {shoot}
Touch the contacts of the {supply} with a thumb |
    Wipe the thumb mark off the contacts of the {supply}
Shake the {supply} over the {surface} |
    Hold the {supply} level above the {surface}
Crease the {paper} |
    Smooth out the creased {paper}
Leave a fingerprint on the {container} |
    Polish the fingerprint off the {container}
Press a button on the side by mistake |
    Press the button on the side again to undo it
Rest an elbow on the {surface} and slip |
    Wipe the smear of the elbow off the {surface}
Wipe both hands on the trousers |
    Wash both hands that touched the trousers
Set the wrong part on the {surface} first |
    Clear the wrong part off the {surface}
Pull at the {cloth} until it frays |
    Trim the frayed edge of the {cloth}
""",
}


# What a person might do in place of a step that names nothing to be confused.
INSTEAD: dict[Domain, tuple[str, ...]] = {
    Domain.KITCHEN: (
        "Check the phone for messages", "Fold the kitchen towel", "Rinse both hands under the tap",
        "Look for a clean apron", "Open the window", "Push the stool out of the way",
    ),
    Domain.BICYCLE: (
        "Sort the tools on the floor", "Spin the front wheel by hand", "Wipe the saddle",
        "Ring the bell", "Lean the bike against the wall", "Look for the gloves",
    ),
    Domain.LABORATORY: (
        "Fill in the result form", "Wipe the table", "Set the timer", "Put on a second glove",
        "Count the parts of the kit", "Photograph the package",
    ),
    Domain.FIRST_AID: (
        "Search the patient's pockets for a phone", "Pull the patient upright by the arms",
        "Cover the patient with a jacket", "Put a pillow under the patient's head",
        "Shout at the patient", "Look for a place to sit down",
    ),
    Domain.GENERAL: (
        "Tidy up the table", "Check the phone for messages", "Look for the manual",
        "Wipe the dust off the shelf", "Open the window", "Move the chair out of the way",
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
