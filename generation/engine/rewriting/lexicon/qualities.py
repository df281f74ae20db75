"""Qualities, manners, amounts and positions that go wrong, by word, by kind and by preposition.

`SWAPS` turns a word into one that makes the action wrong (`three+` wants the next word in the
plural); `ADDED` gives a thing of a kind a quality that it should not have, or names only a part of
it ("only half of"); `RELATIONS` moves an action from where it belongs to beside it. Written for
PIE-V.
"""

import re
from functools import cache

from generation.engine.rewriting.families import Family
from generation.engine.semrep.lexicon import word_set

_SWAPS = """
hot: cold, lukewarm, cool; cold: lukewarm, hot, warm; warm: cold, hot, ice-cold;
boiling: lukewarm, cold, cooled-down; running: stagnant; cool: hot, lukewarm, warm, ice-cold;
lukewarm: hot, ice-cold;
left: right; right: left; upper: lower; lower: upper; front: rear; rear: front;
inner: outer; inside: outside; outside: inside; top: bottom; bottom: top;
small: large; large: small; big: small; long: short, thin; short: long; thin: thick, uneven;
thick: thin, uneven;
fine: coarse; fine-mesh: coarse-mesh; wide: narrow; deep: shallow; heavy: light;
clean: dirty, used, soiled; dirty: clean; dry: wet, damp, soaking; wet: dry; new: old; old: new;
fresh: wilted, stale; raw: cooked; cooked: raw, half-cooked; boiled: raw, half-boiled; dried: fresh;
peeled: unpeeled, half-peeled; chopped: whole; diced: whole; sliced: whole; minced: whole;
grated: whole; shredded: whole; beaten: unbeaten; ground: whole; measured: unmeasured;
washed: unwashed; flattened: lumpy; prepared: half-finished; mixed: unmixed, half-mixed;
used: unused; unused: used; closed: open; sealed: torn;
red: green; green: red; yellow: brown; white: black; black: white; brown: white; pink: black;
both: only one of the; all: half of the, only some of the, only a few of the;
each: every other, only every third; every: every other, only every third;
some: far too much; few: far too many; little: lot of, whole lot of, good deal of;
more: far too much; pinch: handful, spoonful, fistful, heap; half: all; quarter: half;
two: three+, five+, four+, six+; three: two+, six+, four+, five+;
four: two+, three+, eight+, six+, seven+, five+, nine+; five: two+, four+, ten+, eight+;
ten: two+, eight+, twenty+, five+, four+; one: half a, two+, three+, four+, six+, five+;
third: quarter; second: first, third; first: last, second; other: same;
appropriate: undersized; correct: wrong;
erect: tilted; upright: tilted; consistent: changing; low: high; high: low;
gently: forcefully, roughly, jerkily, clumsily; carefully: carelessly, hastily, clumsily;
slowly: hastily, jerkily, in a rush; quickly: very slowly, hesitantly;
properly: loosely, crookedly; correctly: backwards, at an angle; firmly: loosely, limply;
tightly: loosely; loosely: tightly, crookedly, too loosely; securely: loosely, crookedly;
partially: fully, all the way; fully: only halfway, only partly;
completely: only partly, only halfway; evenly: in one spot, unevenly, in thick patches;
thoroughly: hastily, only briefly, carelessly; well: poorly, carelessly, only briefly;
together: separately; briefly: for far too long; continuously: only now and then;
clockwise: anticlockwise; counterclockwise: clockwise; anticlockwise: clockwise; down: sideways;
back: forward; forward: back; backwards: forwards; forwards: backwards;
through: halfway through; smooth: lumpy; soft: rubbery; tender: mushy; golden: burnt;
minutes: seconds; minute: second; seconds: minutes; hours: minutes; hour: minute;
slow: hasty, jerky, wobbly, lopsided, wild, quick; disposal: reuse; interlocked: crossed;
bright: dark, draughty, damp; thirds: eighths; safety: reading; distilled: tap; gloved: bare
"""

_ADDED = """
dish/tray: dirty, wet, cracked, greasy, chipped, dusty; vessel: dirty, cracked, half-empty, chipped,
sticky, dusty; cookware: cold, wet, dirty, greasy, burnt, dented; boiler: dirty, unplugged, dented;
dripper: dirty, dripping, cracked, chipped, dusty; packaging: torn, leaking, crushed, damp,
half-empty;
jar: half-empty, sticky, leaking, dusty; stirrer: dirty, wet, greasy, wrong end of the, bent,
sticky;
cutter: blunt, dirty, wet, back of the, bent, rusty, greasy; measure: heaped, wet, half-filled,
dirty;
cloth: greasy, soaking wet, dusty, dirty, crumpled, stained, damp; sieve: clogged, torn, damp, bent,
dirty; board: wet, dirty, wobbly, sticky, tilted, stained; roller: sticky, wet, dirty, dusty;
surface: wet, cluttered, dusty, greasy, sticky, wobbly; hob: cold, greasy; oven: dirty, unplugged;
basin: dirty, overfull,
clogged; bin: overfull, wrong; vegetable: unwashed, unripe, bruised, only half of the, wilted;
leaf: unwashed, wilted, only half of the, muddy; fruit: unwashed, unripe, bruised, rotten;
cherry: unwashed, bruised, unripe; stalk: unwashed, bruised; herb: unwashed, wilted, muddy;
aromatic: unpeeled, unwashed,
dried-out; clove: unpeeled, dried-out; spice: expired, damp, only half of the;
whole spice: broken, damp; seasoning: lumpy, damp, coarse; powder: lumpy, unsifted, damp, stale;
water: stale, cloudy, dirty, only some of the; liquid: ice-cold, sour, spoiled, only half of the;
oil: burnt, cold, smoking hot, rancid; sauce: expired, separated, spoiled; fat: frozen, rancid,
melted, moldy, stale; cheese: moldy, frozen, dried-out; starch: uncooked, broken, sticky,
overcooked;
egg: unwashed, cracked, cold, rotten; batter: lumpy, unmixed, runny; dough: crumbly, sticky,
dried-out,
only half of the; cooked: burnt, cold, soggy; salad: undressed, soggy, wilted, only one side of the;
drink: cold, spilled, stale, only the top of the; brew: used, damp, stale; teabag: torn, used, damp;
bread: stale, burnt, crumbling, soggy, torn, wrong side of the; sandwich: unfinished, crooked,
only half of the, upside-down, squashed, open; nuts: unroasted, burnt, stale; fish: frozen,
unwashed;
seaweed: damp, torn, crumpled; waste: wet, only half of the; lid: wet, dented, dirty, greasy;
document: torn, outdated, crumpled, back of the, wet, dirty; lighter: empty; machine: unplugged,
dirty;
soap: diluted, dried-up, dirty; tool: undersized, oversized, worn, wrong end of the, rusty, greasy;
striker: heavy, cracked, greasy; lever: bent, greasy, wrong end of the, worn, dirty;
pump: leaking, loose, broken; needle: bent, blunt, clogged;
wheel: dirty, wobbling, wrong side of the, greasy, muddy; tyre: worn, twisted, punctured, muddy,
only one side of the; bead: twisted, dirty, only one side of the; rim: dented, dirty, rusty, muddy,
only one side of the;
frame part: dirty, scratched, greasy; fastener: rusty, greasy, loose, worn, bent;
brake: frayed, dirty, greasy, loose; valve: dirty, bent, loose, leaking; cap: cracked, dirty, loose,
worn; tube: twisted, dusty, patched, leaking, crumpled; drive: dusty, slack, only half of the,
only one side of the, muddy, only a few links of the; link: rusty, stiff, dirty; release: bent;
debris: only some of the, largest piece of the, only half of the; lubricant: dirty, dusty, too much,
too little, watery; degreasing: diluted, expired, dirty; vial: unlabelled, cracked, dirty, wet,
dusty, chipped; swab: used, wet, bent, dirty; indicator: used, expired, damp, wrong end of a,
creased,
torn; chart: faded, torn, folded, back of the, wet, upside-down; reading: rounded, wrong, estimated;
seal: torn, loose, dirty; solution: expired, cloudy, too little, dirty, too much;
mixture: cloudy, only the top of the, only one side of the; nostril: wrong;
rod: dirty, wet, wrong end of the, chipped, cracked, dusty; record: wrong page of the, back of the,
cover of the, wet; protection: torn, dirty, damp, stained, scratched; limb: wrong;
dressing: unsterile, used, crumpled, torn, dirty, damp, wrong side of the; wound: uncleaned,
only one side of the, only the edge of the, only half of the; iron: unplugged;
jewel: tight, only part of the; hand: wet, greasy, dirty; skin: soapy, wet, sore, only part of the;
skin patch: soapy, wet, sore, only part of the, only one side of the;
fingers: dirty, wet, cold, greasy, sticky; cover: dusty, wrong; supply: leaking, damaged, dusty,
wet, empty; page: blurred, crumpled, only half of the, faded; sticky: only half of the,
only one end of the, only one corner of the, only the top layer of the;
pot: cracked, dirty, upside-down, muddy, chipped; plant: unwatered, dripping, wilted, bruised;
earth: dry, stony, too little, far too much, lumpy, dusty; shard: tiny, broken, dirty, cracked;
plant part: damaged, wilted, only some of the, bruised, only a few of the;
fluid: dirty, stale, salty, cloudy; part: worn, loose, rusty, bent, dirty;
wear: torn, wet, dirty, stained; date: wrong, smudged;
cutting tool: blunt, rusty, only one blade of the, dirty, bent, sticky;
tweezers: bent, dirty, wrong end of the; shelf: wobbly, cluttered, dusty, wet;
office device: unplugged; control: loose
"""

_RELATIONS = """
into: only halfway into, beside, the wrong way round into, onto the edge of; in: next to,
only halfway in; inside: next to, on top of; onto: beside,
only halfway onto, onto the edge of, upside down onto, crookedly onto; on: next to, on the edge of,
crookedly on, beside, halfway off;
on valve: crookedly on, only halfway onto, at an angle on, next to; to: next to, to the edge of,
to the wrong side of, beside; from: from beside, from behind, from the wrong side of;
from surface/board/shelf: from the far side of, from the wrong end of, from the edge of,
from the back of, from the floor under;
from storage: from the back of, from the wrong corner of, from the top of, from the floor beside,
from under; from basin: from beside;
from heat: only halfway off; off heat: only halfway off;
from tyre/rim/wheel: from only one side of, from the wrong side of;
from plant part: from the tip of, from only one side of, from the top of, from only half of;
from dish/vessel/packaging/jar: from beside, from the bottom of, from the outside of;
on board/surface/shelf: on the very edge of, crookedly on, upside down on, halfway off,
on the wrong end of, on the floor beside, on a wet spot of, on the far corner of;
on hob: next to, on the cold side of; in storage: on top of, in the wrong corner of, next to,
in front of, on the floor beside;
in basin: on the edge of, next to; in dish/vessel/pot/vial: at the edge of, upside down in,
at an angle in, next to, right up against the side of;
in sieve/dripper: upside down in, crookedly in, next to, only halfway in, on the rim of;
into dish/vessel/vial/pot/boiler: onto the rim of, beside, past, over the edge of,
down the outside of; to dish/sieve/dripper: beside, onto the rim of, onto the edge of,
to only one side of; into cookware: onto the rim of, beside, onto the lid of, over the edge of;
in cookware: at the edge of, next to; on vessel/dish/vial/boiler: at an angle on, next to,
upside down on, off-centre on, on only one edge of; to dish: to the edge of, to the table beside,
next to; on bread/sandwich/cooked: on only one half of, on the wrong side of, on the crust of,
beside, on just one corner of, past the edge of;
over vegetable/salad/brew/cooked: beside, over only one side of, over just one spot of,
past the edge of, over only half of; over aromatic/fruit: beside, over only one side of;
on record/document: on the back of, at the very edge of, across the print on, upside down on;
in record/document: on the cover of, on the wrong page of, in the margin of, on the back of,
across the print in; on drive: next to, under, on only one end of, on the wrong side of,
on the floor under, past, on only a few links of;
on link: next to, on the wrong side of, only beside, past;
on wound: next to, below, on only one side of, above, on only the edge of;
over wound: beside, above, only halfway over, at an angle over, below, past,
over only the edge of; on body: beside, above, below; at body: below, above, beside;
on limb: above, below; into frame part: only halfway into, beside, in front of;
to bin: beside, in front of, behind; in bin: beside, in front of, behind;
into bin: beside, in front of, behind, onto the lid of, onto the rim of;
into office device: only halfway into, the wrong way round into,
upside down into, into the wrong slot of, at an angle into, too low into,
with a jolt into, too far to the left into, crookedly into;
against chart: upside down against, at an angle against,
far away from, too far above, the wrong way round against, to one side of;
under tyre: beside, on top of, only halfway under, under only one side of, crookedly under;
through rim: only halfway through, at an angle through, past, crookedly through;
onto rim: only halfway onto, beside, crookedly onto, onto only one side of; into tyre: beside;
in the middle of: at the edge of, off-centre in, right up against the side of, at an angle in,
too deep in, too high in; at the center of: to one side of, below the center of;
in the center of: to one side of, at the edge of;
out of: only halfway out of, only partway out of; off: only halfway off, only partway off;
over: beside, only halfway over, past, over only one side of;
around: across, only halfway around, above; across: along one side of, only halfway across;
under: on top of, beside, in front of; underneath: above, beside; beneath: on top of;
between: on top of, beside; through: past, only halfway through; at: beside, below, above;
against: away from, at an angle against, beside; toward: away from; towards: away from;
along: across, only halfway along; behind: in front of, beside;
near: far from; below: above, beside; above: below, beside; beside: on top of; next to: on top of
"""

# What a thing goes by when nothing is known about its kind.
UNSPECIFIC = ("wrong",)
# What of its object an action may leave out, by its family; the rest is for things with two sides.
PARTS: dict[Family, tuple[str, ...]] = {
    Family.CLEAN: ("only one side of the", "only half of the", "only part of the"),
    Family.CUT: ("only half of the", "only one end of the"),
    Family.HEAT: ("only one side of the", "only half of the"),
    Family.STIR: ("only one side of the", "only part of the"),
    Family.LOOK: ("only one side of the", "only part of the"),
    Family.ADD: ("only half of the", "only part of the"),
    Family.TAKE_OUT: ("only part of the", "only half of the"),
    Family.PRESS: ("wrong side of the", "only one side of the"),
    Family.CLOSE: ("only half of the", "only part of the"),
    Family.OTHER: ("only part of the", "only half of the"),
}  # fmt: skip
PARTS_OF_SEVERAL = ("only some of the", "only half of the")
# What of a tool or a place is taken for the right part.
ENDS = ("wrong end of the", "wrong side of the")
OF_THE = " of the"

# How a shaping comes out when it goes wrong (role Result).
BAD_RESULTS = (
    "uneven chunks", "thick, ragged pieces", "pieces of different sizes", "crooked pieces",
    "thick wedges", "crumbs and scraps", "much too large pieces", "two unequal parts",
    "ragged strips", "squashed lumps",
)  # fmt: skip
# Relations that make no sense for a substance that is poured or strewn, by their first words.
_SOLID_RELATIONS = re.compile(
    r"^(?:(?:only )?halfway|upside down|at an angle|the wrong way|crookedly|under\b|on top of)"
)
_PLACED = re.compile(r"^(?:upside down|at an angle|crookedly|the wrong way)")
# Mistakes that spoil more than others of their sort, and those that hardly show.
_GROSS = word_set(
    "cracked rotten moldy rancid dirty filthy unwashed unsterile punctured broken leaking burnt "
    "boiling greasy expired sour smoking wrong behind past upside five six eight twenty handful "
    "lot whole unpeeled torn uncleaned beside rusty forcefully roughly carelessly bent frozen"
)
_SLIGHT = word_set(
    "damp dusty crumpled lukewarm wobbly faded folded edge angle crookedly slightly off-centre "
    "three two four spoonful cluttered chilly crooked unsifted cloudy blurred smudged half-filled "
    "bruised cold jerky wobbly almost halfway"
)
# How much the severity of a mistake shifts the choice between them.
SEVERITY_SHIFT = 2.5


@cache
def severity_weight(wrong: str, severity: str) -> float:
    """Return how well a wrong wording fits a severity (`low`, `medium`, `high`).

    >>> severity_weight("damp", "low") > severity_weight("damp", "high")
    True
    """
    words = set(wrong.lower().split())
    lean = bool(words & _GROSS) - bool(words & _SLIGHT)
    direction = {"low": -1, "high": 1}.get(severity, 0)
    return float(SEVERITY_SHIFT ** (lean * direction))


def is_for_placing(relation: str) -> bool:
    """Return whether a relation says how a thing is put down, which no other action can miss."""
    return _PLACED.match(relation) is not None


def is_for_solids(relation: str) -> bool:
    """Return whether a relation makes no sense for what is poured or strewn."""
    return _SOLID_RELATIONS.match(relation) is not None


@cache
def swaps() -> dict[str, tuple[str, ...]]:
    """Return the words that make an action wrong, by the word whose place they take."""
    return _read(_SWAPS)


@cache
def added() -> dict[str, tuple[str, ...]]:
    """Return the qualities that a thing should not have, by the name of its kind."""
    return _read(_ADDED)


@cache
def relations() -> dict[str, tuple[str, ...]]:
    """Return the relations that miss the right place, by the preposition of the right one."""
    return _read(_RELATIONS)


def _read(text: str) -> dict[str, tuple[str, ...]]:
    entries = (entry.partition(":") for entry in " ".join(text.split()).split(";"))
    return {
        key: tuple(option.strip() for option in options.split(","))
        for word, colon, options in entries
        if colon
        for key in _keys(word.strip())
    }


def _keys(word: str) -> list[str]:
    """Return what an entry is for: `on dish/vessel` is for `on dish` and for `on vessel`."""
    before, space, last = word.rpartition(" ")
    return [before + space + part for part in last.split("/")] if "/" in last else [word]
