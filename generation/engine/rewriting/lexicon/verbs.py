"""Actions that a person could do in place of another one, and manners in which one fails.

`CONFUSABLE` goes by what the step does, `ON_THINGS` by the sort of thing that it does it to.
`{object}` stands for the object of the step, definite; `{tool}` and `{place}` for its own phrases
of these roles, blank where it has none. Written for PIE-V.
"""

from generation.engine.rewriting.families import Family

# Actions on the same object that are easily taken for the intended one and leave it where it is.
CONFUSABLE: dict[Family, tuple[str, ...]] = {
    Family.CUT: (
        "Peel {object}{place}", "Grate {object}{place}", "Rinse {object} under the tap",
        "Mash {object}{place}", "Score {object}{tool}{place}", "Pat {object} dry",
        "Trim the ends off {object}", "Hollow out {object}{place}", "Prick {object} with a fork",
    ),
    Family.STIR: (
        "Skim {object}{place}", "Whip {object}{place}", "Let {object} stand for a while",
        "Strain {object}", "Lay a cloth over {object}",
    ),
    Family.HEAT: (
        "Turn {object} over", "Season {object}{place}", "Let {object} cool down",
        "Lay a cloth over {object}",
    ),
    Family.CLEAN: (
        "Blow on {object}", "Pat {object}", "Rub {object} with a sleeve", "Shake {object}",
        "Tap on {object}", "Scratch at {object} with a fingernail", "Breathe on {object}",
    ),
    Family.LOOK: (
        "Wipe {object}", "Straighten {object}", "Shake {object}", "Press on {object}",
        "Blow on {object}", "Tap on {object}",
    ),
    Family.LOOSEN: (
        "Tighten {object}{tool}", "Oil {object}", "Tap on {object}", "Wipe {object}",
        "Wiggle {object}",
    ),
    Family.TIGHTEN: (
        "Loosen {object}{tool}", "Oil {object}", "Wiggle {object}", "Wipe {object}",
        "Tap on {object}",
    ),
    Family.MOVE: (
        "Hold {object} still", "Wipe {object}", "Press on {object}", "Tap on {object}",
        "Knock against {object}",
    ),
    Family.PRESS: (
        "Rub {object}{place}", "Lift {object}", "Wipe {object}", "Blow on {object}",
        "Pull at {object}",
    ),
    Family.OPEN: (
        "Knock on {object}", "Pull at {object}", "Wipe {object}", "Lean on {object}",
        "Shake {object}",
    ),
    Family.CLOSE: (
        "Knock on {object}", "Pull at {object}", "Leave {object} open", "Wipe {object}",
    ),
    Family.INFLATE: ("Squeeze {object}", "Wipe {object}", "Stretch {object}", "Knead {object}"),
    Family.DEFLATE: ("Wipe {object}", "Pump up {object}", "Stretch {object}"),
    Family.SWITCH_ON: (
        "Unplug {object}", "Wipe {object}", "Check the cord of {object}",
        "Turn {object} around", "Push {object} against the wall",
    ),
    Family.SWITCH_OFF: (
        "Wipe {object}", "Turn up {object}", "Check the cord of {object}",
        "Turn {object} around", "Push {object} against the wall",
    ),
    Family.WAIT: ("Shake {object}", "Check on {object}", "Blow on {object}", "Poke {object}"),
    Family.ACQUIRE: (
        "Push {object} aside", "Reach past {object}", "Wipe around {object}",
        "Knock against {object}", "Turn {object} around where it stands",
    ),
    Family.OTHER: (),
}  # fmt: skip

# These are done to something to eat or drink, and these to anything else.
ON_FOOD_ONLY = frozenset({"Taste", "Skim", "Whip", "Strain", "Season", "Mash", "Sift"})
NOT_ON_FOOD = frozenset({"Knock", "Tap", "Lean", "Pull", "Wiggle"})
SORTS_OF_FOOD = frozenset({"food", "soft food", "bread", "fluid", "substance"})

# These of them need something firm; nobody peels parsley.
FIRM_ACTIONS = frozenset({"Peel", "Grate", "Score", "Trim", "Hollow", "Prick"})
FIRM_KINDS = frozenset({"vegetable", "fruit", "aromatic", "clove", "cheese"})

# What a person might do to a thing of a sort, whatever they should have done.
ON_THINGS: dict[str, tuple[str, ...]] = {
    "food": (
        "Rinse {object} under the tap", "Pat {object} dry", "Sniff at {object}", "Weigh {object}",
        "Taste {object}", "Turn {object} over", "Sprinkle some pepper over {object}",
        "Set {object} aside to drain", "Drip lemon juice on {object}",
        "Lay a cloth over {object}", "Drizzle some oil over {object}",
    ),
    "soft food": (
        "Sniff at {object}", "Weigh {object}", "Taste {object}", "Turn {object} over",
        "Lay a cloth over {object}", "Press {object} with a finger",
        "Sprinkle some pepper over {object}", "Prod {object} with a fork",
    ),
    "bread": (
        "Sniff at {object}", "Press {object} flat", "Turn {object} over", "Weigh {object}",
        "Sprinkle some pepper over {object}", "Trim the crust off {object}",
        "Warm {object} in the oven", "Drizzle some oil over {object}",
        "Brush the crumbs off {object}", "Lay a napkin over {object}",
    ),
    "fluid": (
        "Taste {object}", "Measure {object}", "Let {object} stand for a while",
        "Smell {object}", "Swirl {object} around", "Skim {object}", "Hold {object} up to the light",
        "Pass {object} through a sieve", "Dip a finger into {object}",
    ),
    "substance": (
        "Measure out {object} twice", "Level off {object} with a finger", "Smell {object}",
        "Weigh {object}", "Pick lumps out of {object}", "Shake {object} level",
        "Sift {object}", "Rub {object} between two fingers", "Moisten {object} with water",
    ),
    "container": (
        "Wipe {object} dry", "Turn {object} around", "Tilt {object} to one side",
        "Shake {object}", "Polish {object} with a cloth", "Stick a label on {object}",
        "Look for cracks in {object}", "Move {object} to one side", "Rinse {object} under the tap",
        "Blow the dust off {object}",
    ),
    "tool": (
        "Wipe {object} clean", "Set {object} aside", "Turn {object} around",
        "Look for damage on {object}", "Rinse {object} under the tap", "Shake {object} dry",
        "Blow the dust off {object}", "Balance {object} on one finger",
    ),
    "cloth": (
        "Fold {object}", "Shake out {object}", "Wring out {object}", "Smooth out {object}",
        "Fold {object} in half", "Roll up {object}", "Check {object} for holes",
        "Hang up {object}", "Spread out {object}",
    ),
    "dressing": (
        "Fold {object}", "Shake out {object}", "Smooth out {object}", "Fold {object} in half",
        "Roll up {object}", "Check {object} for holes", "Hold {object} up to the light",
        "Trim the edge of {object}", "Pull a thread out of {object}", "Set {object} aside",
    ),
    "body": (
        "Rub {object}", "Blow on {object}", "Press on {object} with a finger",
        "Look at {object} more closely", "Scratch around {object}", "Tap on {object}",
        "Photograph {object}", "Fan {object} with a sheet of paper", "Rub some cream into {object}",
        "Hold {object} up to the light", "Compare {object} with the other side",
    ),
    "wear": (
        "Turn {object} around", "Wipe {object} with a cloth", "Look for damage on {object}",
        "Fold {object}", "Shake out {object}", "Rinse {object} under the tap",
        "Set {object} aside", "Smooth out {object}",
    ),
    "paper": (
        "Fold {object}", "Turn over {object}", "Smooth out {object}", "Read {object} aloud",
        "Photograph {object}", "Crease {object}", "Hold {object} up to the light",
        "Lay {object} face down on the table", "Blow the dust off {object}",
    ),
    "sticky": (
        "Fold {object} in half", "Smooth out {object}", "Press {object} down", "Crease {object}",
        "Hold {object} up to the light", "Rub {object} with a thumb", "Trim {object}",
        "Moisten {object}",
    ),
    "part": (
        "Wipe {object} with a cloth", "Tap on {object}", "Look for scratches on {object}",
        "Blow the dust off {object}", "Rub {object} with a thumb", "Wiggle {object}",
        "Feel along {object}", "Press on {object}", "Pull at {object}",
        "Photograph {object}",
    ),
    "device": (
        "Unplug {object}", "Turn {object} around", "Wipe the dust off {object}",
        "Push {object} to one side", "Read the label on {object}", "Press a button on {object}",
        "Knock on {object}",
    ),
    "plant": (
        "Mist {object}", "Shake {object}", "Turn {object} around", "Pinch a leaf off {object}",
        "Blow the dust off {object}", "Smell {object}", "Tie {object} to a stick",
        "Wipe the leaves of {object}", "Hold {object} up to the light",
    ),
    "plant part": (
        "Mist {object}", "Shake {object}", "Blow the dust off {object}", "Smell {object}",
        "Bend {object} down", "Rinse {object} under the tap", "Hold {object} up to the light",
        "Measure {object} with a ruler",
    ),
    "place": (
        "Wipe {object}", "Blow the dust off {object}", "Tap on {object}",
        "Shine a light on {object}",
        "Brush the dirt away from {object}", "Feel along {object}", "Measure {object} with a ruler",
        "Photograph {object}",
    ),
    "words": (
        "Read {object} aloud", "Check {object} once more", "Cross out {object}",
        "Look up {object}", "Copy {object} onto a hand", "Underline {object}",
        "Photograph {object}",
    ),
    "": (
        "Look at {object} more closely", "Look for faults in {object}", "Wipe {object}",
        "Tap on {object}", "Set {object} aside", "Feel along {object}", "Photograph {object}",
    ),
}  # fmt: skip
_KINDS_OF_SORTS = {
    "food": "vegetable;leaf;fruit;cherry;aromatic;clove;fish;starch;seaweed",
    "soft food": "egg;dough;salad;cooked;cheese;fat;filling",
    "bread": "bread;sandwich",
    "fluid": "liquid;water;oil;sauce;drink;solution;mixture;batter;fluid;lubricant;degreasing;soap",
    "substance": "spice;seasoning;powder;brew;herb;nuts;earth;whole spice",
    "container": "dish;vessel;cookware;packaging;jar;vial;pot;boiler;basin;bin;dripper",
    "tool": "stirrer;measure;cutter;roller;tool;striker;lever;pump;needle;rod;swab;cutting tool;"
    "tweezers;lighter;sieve",
    "cloth": "cloth",
    "dressing": "dressing",
    "body": "body;limb;skin;skin patch;wound;hand;fingers;nostril",
    "wear": "protection;wear",
    "paper": "document;record;page;chart;indicator;seal;packing",
    "sticky": "sticky",
    "part": "wheel;tyre;tube;rim;frame part;fastener;brake;valve;cap;drive;link;release;part;cover;"
    "supply;lid;shard;control;jewel",
    "device": "machine;hob;office device;device;iron",
    "plant": "plant;potted herb",
    "plant part": "plant part",
    "place": "surface;storage;board;hole;gap;shelf;stand",
    "words": "date;reading",
}
SORT_OF_KIND = {
    kind: sort for sort, listing in _KINDS_OF_SORTS.items() for kind in listing.split(";")
}

# How an action fails when none of its roles can be changed; put after the text of the step.
FAILED_MANNERS: dict[Family, tuple[str, ...]] = {
    Family.ACQUIRE: (
        "with wet hands",
        "without looking",
        "from the wrong spot",
        "with two fingers",
        "with greasy hands",
    ),
    Family.ADD: (
        "all in one go",
        "from too high up",
        "in one spot",
        "in a rush",
        "far too slowly",
        "with a splash",
        "without looking",
        "off to one side",
    ),
    Family.PLACE: (
        "upside down",
        "at an angle",
        "back to front",
        "off-centre",
        "crookedly",
        "with a bump",
        "too far to one side",
    ),
    Family.CUT: (
        "at a slant",
        "unevenly",
        "with a sawing motion",
        "far too coarsely",
        "without holding it",
        "against the grain",
        "with a jerk",
    ),
    Family.STIR: (
        "only at the edge",
        "far too fast",
        "in jerks",
        "only for a moment",
        "far too slowly",
        "with a splash",
        "only on the surface",
    ),
    Family.CLEAN: (
        "on one side only",
        "with dirty hands",
        "in a hurry",
        "far too lightly",
        "far too hard",
        "only at the edge",
        "with one quick stroke",
    ),
    Family.WAIT: ("for only half the time", "for twice as long", "without watching it"),
    Family.LOOK: (
        "from the wrong side",
        "without looking closely",
        "with only a quick glance",
        "from too far away",
        "in poor light",
        "with the eyes half shut",
    ),
    Family.MOVE: (
        "in the wrong direction",
        "too far",
        "with a jerk",
        "only halfway",
        "far too fast",
        "with a bump",
        "at an angle",
    ),
    Family.PRESS: (
        "too softly",
        "in the wrong place",
        "at an uneven pace",
        "far too hard",
        "at an angle",
        "with one finger",
        "with a jerk",
    ),
    Family.TIGHTEN: (
        "only halfway",
        "at a slant",
        "in the wrong direction",
        "far too hard",
        "far too loosely",
    ),
    Family.LOOSEN: (
        "in the wrong direction",
        "only by half a turn",
        "with a jerk",
        "far too far",
    ),
    Family.SWITCH_ON: (
        "at the highest setting",
        "at the lowest setting",
        "too early",
        "with a wet hand",
    ),
    Family.SWITCH_OFF: ("too early", "far too late", "with a wet hand"),
    Family.HEAT: (
        "on the highest setting",
        "for half the time",
        "for twice as long",
        "without watching it",
    ),
    Family.OPEN: (
        "from the wrong end",
        "by tearing it",
        "with a jerk",
        "only halfway",
        "with the teeth",
    ),
    Family.CLOSE: (
        "at a slant",
        "only halfway",
        "with too much force",
        "with a bang",
        "back to front",
    ),
    Family.TAKE_OUT: (
        "with a jerk",
        "only halfway",
        "at an angle",
        "with greasy hands",
        "with one hand",
        "far too fast",
    ),
    Family.INFLATE: ("far too fast", "only halfway", "in jerks", "without holding the valve"),
    Family.DEFLATE: ("only halfway", "in a rush"),
}
# The same by the role that is planned to go wrong.
FAILED_ROLES: dict[str, tuple[str, ...]] = {
    "Temporal": ("too early", "far too late", "a moment too soon", "at the wrong moment"),
    "Duration": (
        "for only a moment",
        "for far too long",
        "for only half the time",
        "for twice as long",
    ),
    "Direction": ("in the wrong direction", "at an angle", "to the wrong side", "upside down"),
    "Degree": ("only halfway", "not far enough", "only partly", "far too far"),
    "Quantity": ("only in part", "with far too much of it", "with far too little of it"),
    "Condition": ("without checking first", "too early"),
    "Criterion": (
        "with only a quick glance",
        "without looking closely",
        "from too far away",
        "in poor light",
        "from one side only",
        "without touching it",
    ),
    "Proposition": (
        "with only a quick glance",
        "without looking closely",
        "from too far away",
        "in poor light",
    ),
    "Purpose": (
        "without taking any care",
        "only halfway",
        "far too hastily",
        "without checking it",
    ),
    "Result": ("unevenly", "only halfway", "in a hurry"),
}
FAILED_ANYHOW = (
    "only halfway",
    "in a hurry",
    "with one hand",
    "carelessly",
    "without looking",
    "with unsteady hands",
)
