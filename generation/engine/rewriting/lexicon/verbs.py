"""Actions that a person could do in place of another one, and manners in which one fails.

`CONFUSABLE` goes by what the step does, `ON_THINGS` by the sort of thing that it does it to.
`{object}` stands for the object of the step, definite; `{tool}` and `{place}` for its own phrases
of these roles, blank where it has none. Written for PIE-V.
"""

from generation.engine.rewriting.families import Family

# Actions on the same object that are easily taken for the intended one and leave it where it is.
CONFUSABLE: dict[Family, tuple[str, ...]] = {
    Family.CUT: (
        "Peel {object}{place}", "Grate {object}{place}", "Rinse {object} once more",
        "Mash {object}{place}", "Score {object}{tool}{place}", "Pat {object} dry",
        "Trim the ends off {object}",
    ),
    Family.STIR: (
        "Skim {object}{place}", "Whip {object}{place}", "Let {object} stand for a while",
        "Strain {object}",
    ),
    Family.HEAT: ("Skim {object}{place}", "Season {object} again", "Let {object} cool down"),
    Family.CLEAN: (
        "Blow on {object}", "Pat {object}", "Rub {object} with a sleeve", "Shake {object}",
        "Tap on {object}",
    ),
    Family.LOOK: ("Wipe {object}", "Straighten {object}", "Shake {object}", "Press on {object}"),
    Family.LOOSEN: ("Tighten {object}{tool}", "Oil {object}", "Tap on {object}"),
    Family.TIGHTEN: ("Loosen {object}{tool}", "Oil {object}", "Wiggle {object}"),
    Family.MOVE: ("Hold {object} still", "Wipe {object}", "Press on {object}"),
    Family.PRESS: ("Rub {object}{place}", "Lift {object}", "Wipe {object}"),
    Family.OPEN: ("Knock on {object}", "Pull at {object}", "Wipe {object}"),
    Family.CLOSE: ("Knock on {object}", "Pull at {object}", "Leave {object} open"),
    Family.INFLATE: ("Squeeze {object}", "Wipe {object}", "Stretch {object}"),
    Family.DEFLATE: ("Wipe {object}", "Pump up {object}", "Stretch {object}"),
    Family.SWITCH_ON: ("Unplug {object}", "Wipe {object}", "Check the cord of {object}"),
    Family.SWITCH_OFF: ("Wipe {object}", "Turn up {object}", "Check the cord of {object}"),
    Family.WAIT: ("Shake {object}", "Check on {object}", "Blow on {object}"),
    Family.ACQUIRE: ("Push {object} aside", "Reach past {object}", "Wipe around {object}"),
    Family.OTHER: (),
}  # fmt: skip

# These of them need something firm; nobody peels parsley.
FIRM_ACTIONS = frozenset({"Peel", "Grate", "Score", "Trim"})
FIRM_KINDS = frozenset({"vegetable", "fruit", "aromatic", "clove", "cheese"})

# What a person might do to a thing of a sort, whatever they should have done.
ON_THINGS: dict[str, tuple[str, ...]] = {
    "food": (
        "Rinse {object} once more", "Pat {object} dry", "Sniff at {object}", "Weigh {object}",
        "Taste {object}", "Turn {object} over", "Sprinkle some pepper over {object}",
        "Set {object} aside to drain",
    ),
    "fluid": (
        "Taste {object}", "Measure {object} once more", "Let {object} stand for a while",
        "Smell {object}", "Swirl {object} around", "Skim {object}",
    ),
    "substance": (
        "Measure out {object} once more", "Level off {object} with a finger", "Smell {object}",
        "Weigh {object}", "Pick lumps out of {object}", "Shake {object} level",
    ),
    "container": (
        "Wipe {object} dry", "Turn {object} around", "Tilt {object} to one side",
        "Shake {object}", "Polish {object} with a cloth", "Write a name on {object}",
        "Look for cracks in {object}",
    ),
    "tool": (
        "Wipe {object} clean", "Set {object} aside", "Turn {object} around",
        "Look for damage on {object}", "Rinse {object} under the tap",
    ),
    "cloth": (
        "Fold {object}", "Shake out {object}", "Wring out {object}", "Smooth out {object}",
        "Fold {object} in half", "Roll up {object}", "Check {object} for holes",
    ),
    "body": (
        "Rub {object}", "Blow on {object}", "Press on {object} with a finger",
        "Look at {object} more closely", "Scratch around {object}", "Tap on {object}",
        "Photograph {object}",
    ),
    "wear": (
        "Turn {object} around", "Wipe {object} with a cloth", "Look for damage on {object}",
        "Fold {object}", "Shake out {object}", "Rinse {object} under the tap",
    ),
    "paper": (
        "Fold {object}", "Turn over {object}", "Smooth out {object}", "Read {object} aloud",
        "Photograph {object}", "Crease {object}", "Hold {object} up to the light",
    ),
    "part": (
        "Wipe {object} with a cloth", "Tap on {object}", "Look for scratches on {object}",
        "Blow the dust off {object}", "Rub {object} with a thumb", "Wiggle {object}",
        "Feel along {object}", "Press on {object}",
    ),
    "device": (
        "Unplug {object}", "Turn {object} around", "Wipe the dust off {object}",
        "Push {object} to one side", "Read the label on {object}", "Press a button on {object}",
    ),
    "plant": (
        "Mist {object}", "Shake {object}", "Turn {object} around", "Pinch a leaf off {object}",
        "Blow the dust off {object}", "Smell {object}", "Turn {object} upside down",
    ),
    "place": (
        "Wipe {object}", "Blow the dust off {object}", "Tap on {object}",
        "Shine a light on {object}",
        "Brush the dirt away from {object}", "Feel along {object}",
    ),
    "words": (
        "Read {object} aloud", "Check {object} once more", "Cross out {object}",
        "Look up {object}", "Copy {object} onto a hand",
    ),
    "": (
        "Look at {object} more closely", "Look for faults in {object}", "Wipe {object}",
        "Tap on {object}", "Set {object} aside", "Feel along {object}",
    ),
}  # fmt: skip
_KINDS_OF_SORTS = {
    "food": "vegetable;leaf;fruit;cherry;aromatic;clove;egg;dough;bread;sandwich;fish;salad;cooked;"
    "starch;cheese;seaweed;fat;filling",
    "fluid": "liquid;water;oil;sauce;drink;solution;mixture;batter;fluid;lubricant;degreasing;soap",
    "substance": "spice;seasoning;powder;brew;herb;nuts;earth;whole spice",
    "container": "dish;vessel;cookware;packaging;jar;vial;pot;boiler;basin;bin;dripper",
    "tool": "stirrer;measure;cutter;roller;tool;striker;lever;pump;needle;rod;swab;cutting tool;"
    "tweezers;lighter;sieve",
    "cloth": "cloth;dressing",
    "body": "body;limb;skin;skin patch;wound;hand;fingers;nostril",
    "wear": "protection;wear",
    "paper": "document;record;page;chart;sticky;indicator;seal;packing",
    "part": "wheel;tyre;tube;rim;frame part;fastener;brake;valve;cap;drive;link;release;part;cover;"
    "supply;lid;shard;control;jewel",
    "device": "machine;hob;office device;device;iron",
    "plant": "plant;plant part;potted herb",
    "place": "surface;storage;board;hole;gap;shelf;stand",
    "words": "date;reading",
}
SORT_OF_KIND = {
    kind: sort for sort, listing in _KINDS_OF_SORTS.items() for kind in listing.split(";")
}

# How an action fails when none of its roles can be changed; put after the text of the step.
FAILED_MANNERS: dict[Family, tuple[str, ...]] = {
    Family.ACQUIRE: ("with wet hands", "without looking", "from the wrong spot"),
    Family.ADD: ("all in one go", "from too high up", "in one spot", "in a rush"),
    Family.PLACE: ("upside down", "at an angle", "back to front", "off-centre", "crookedly"),
    Family.CUT: ("at a slant", "unevenly", "with a sawing motion", "far too coarsely"),
    Family.STIR: ("only at the edge", "far too fast", "in jerks", "only for a moment"),
    Family.CLEAN: ("on one side only", "with dirty hands", "in a hurry", "far too lightly"),
    Family.WAIT: ("for only half the time", "for twice as long"),
    Family.LOOK: ("from the wrong side", "without looking closely", "with only a quick glance"),
    Family.MOVE: ("in the wrong direction", "too far", "with a jerk", "only halfway"),
    Family.PRESS: ("too softly", "in the wrong place", "at an uneven pace", "far too hard"),
    Family.TIGHTEN: ("only halfway", "at a slant", "in the wrong direction", "far too hard"),
    Family.LOOSEN: ("in the wrong direction", "only by half a turn"),
    Family.SWITCH_ON: ("at the highest setting", "at the lowest setting", "too early"),
    Family.SWITCH_OFF: ("too early", "far too late"),
    Family.HEAT: ("on the highest setting", "for half the time", "for twice as long"),
    Family.OPEN: ("from the wrong end", "by tearing it", "with a jerk", "only halfway"),
    Family.CLOSE: ("at a slant", "only halfway", "with too much force"),
    Family.TAKE_OUT: ("with a jerk", "only halfway", "at an angle"),
    Family.INFLATE: ("far too fast", "only halfway"),
    Family.DEFLATE: ("only halfway", "in a rush"),
}
# The same by the role that is planned to go wrong.
FAILED_ROLES: dict[str, tuple[str, ...]] = {
    "Temporal": ("too early", "far too late", "a moment too soon"),
    "Duration": ("for only a moment", "for far too long", "for only half the time"),
    "Direction": ("in the wrong direction", "at an angle", "to the wrong side"),
    "Degree": ("only halfway", "not far enough", "only partly"),
    "Quantity": ("only in part", "with far too much of it", "with far too little of it"),
    "Condition": ("without checking first", "too early"),
    "Criterion": ("with only a quick glance", "without looking closely"),
    "Proposition": ("with only a quick glance", "without looking closely"),
    "Purpose": ("without taking any care", "only halfway"),
    "Result": ("unevenly", "only halfway"),
}
FAILED_ANYHOW = ("only halfway", "in a hurry", "with one hand", "carelessly")
