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
hot: cold, lukewarm; cold: lukewarm, hot, warm; warm: cold, hot; boiling: lukewarm, cold;
running: stagnant; cool: hot, lukewarm, warm; lukewarm: hot, ice-cold;
left: right; right: left; upper: lower; lower: upper; front: rear; rear: front;
inner: outer; inside: outside; outside: inside; top: bottom; bottom: top;
small: large; large: small; big: small; long: short, thin; short: long; thin: thick; thick: thin;
fine: coarse; fine-mesh: coarse-mesh; wide: narrow; deep: shallow; heavy: light;
clean: dirty, dusty, damp; dirty: clean; dry: wet, damp; wet: dry; new: old; old: new;
fresh: wilted; raw: cooked; cooked: raw, half-cooked; boiled: raw, half-boiled; dried: fresh;
peeled: unpeeled; chopped: whole; diced: whole; sliced: whole; minced: whole; grated: whole;
shredded: whole; beaten: unbeaten; ground: whole; measured: unmeasured; washed: unwashed;
flattened: lumpy; prepared: half-finished; mixed: unmixed;
used: unused; unused: used; closed: open; sealed: torn;
red: green; green: red; yellow: brown; white: black; black: white; brown: white; pink: black;
both: only one of the; all: half of the, only some of the; each: every other, only every third;
every: every other, only every third; some: far too much; few: far too many; little: lot of;
more: far too much; pinch: handful, spoonful; half: all; quarter: half;
two: three+, five+, four+; three: two+, six+, four+; four: two+, three+, eight+, six+, seven+;
five: two+, four+;
ten: two+, eight+, twenty+; one: half a, two+, three+, four+, six+; third: quarter;
second: first, third; first: last, second; other: same; appropriate: undersized; correct: wrong;
erect: tilted; upright: tilted; consistent: changing; low: high; high: low;
gently: forcefully, roughly; carefully: carelessly; slowly: hastily, jerkily; quickly: very slowly;
properly: loosely; correctly: backwards, at an angle; firmly: loosely; tightly: loosely;
loosely: tightly, crookedly, too loosely; securely: loosely; partially: fully, all the way;
fully: only halfway, only partly; completely: only partly, only halfway;
evenly: in one spot, unevenly; thoroughly: hastily, only briefly; well: poorly;
together: separately; briefly: for far too long; continuously: only now and then;
clockwise: anticlockwise; counterclockwise: clockwise; anticlockwise: clockwise; down: sideways;
up: sideways; back: forward; forward: back; backwards: forwards; forwards: backwards;
through: halfway through; smooth: lumpy; soft: rubbery; tender: mushy; golden: burnt;
minutes: seconds; minute: second; seconds: minutes; hours: minutes; hour: minute;
slow: hasty, jerky, wobbly, lopsided, huge;
disposal: reuse; interlocked: crossed; bright: dark; thirds: eighths;
safety: reading; distilled: tap; gloved: bare
"""

_ADDED = """
dish/tray: dirty, wet, cracked; vessel: dirty, cracked, half-empty; cookware: cold, wet, dirty;
boiler: dirty, unplugged; dripper: dirty, dripping, cracked; packaging: torn, leaking, crushed;
jar: half-empty, sticky; stirrer: dirty, wet, greasy, wrong end of the; cutter: blunt, dirty, wet,
back of the; measure: heaped, wet, half-filled; cloth: greasy, soaking wet, dusty, dirty;
sieve: clogged, torn, damp; board: wet, dirty, wobbly; roller: sticky, wet; surface: wet,
cluttered, dusty; hob: cold, greasy; basin: dirty, overfull; bin: overfull; vegetable: unwashed,
unripe, bruised, only half of the; leaf: unwashed, wilted, only half of the; fruit: unwashed,
unripe; cherry: unwashed, bruised; herb: unwashed, wilted; aromatic: unpeeled; clove: unpeeled;
spice: expired, only half of the; whole spice: broken; seasoning: lumpy, damp; powder: lumpy,
unsifted, damp; water: stale, cloudy, only some of the; liquid: ice-cold, sour, only half of the;
oil: burnt, cold, smoking hot; sauce: expired, separated; fat: frozen, rancid, melted, moldy;
cheese: moldy, frozen; starch: uncooked, broken, sticky; egg: unwashed, cracked, cold;
batter: lumpy, unmixed; dough: crumbly, sticky, only half of the; cooked: burnt, cold;
salad: undressed, soggy, only one side of the; drink: cold, spilled, only the top of the;
brew: used, damp; teabag: torn, used; bread: stale, burnt, crumbling; sandwich: unfinished,
crooked, only half of the, upside-down; nuts: unroasted, burnt; fish: frozen, unwashed;
seaweed: damp, torn; waste: wet, only half of the; lid: wet, dented;
document: torn, outdated, crumpled, back of the; lighter: empty; machine: unplugged;
soap: diluted, dried-up; tool: undersized, oversized, worn, wrong end of the;
striker: heavy; lever: bent, greasy, wrong end of the; pump: leaking, loose; needle: bent;
wheel: dirty, wobbling, wrong side of the; tyre: worn, twisted, punctured, only one side of the;
rim: dented, dirty, only one side of the; frame part: dirty; fastener: rusty, greasy, loose;
brake: frayed, dirty; valve: dirty, bent, loose; cap: cracked, dirty, loose;
tube: twisted, dusty, patched; drive: dusty, slack, only half of the, only one side of the;
link: rusty, stiff; release: bent;
debris: only some of the, largest piece of the; lubricant: dirty, dusty, too much, too little;
degreasing: diluted, expired; vial: unlabelled, cracked, dirty, wet; swab: used, wet;
indicator: used, expired, damp, wrong end of a; chart: faded, torn, folded, back of the;
reading: rounded, wrong; seal: torn, loose; solution: expired, cloudy, too little;
mixture: cloudy, only the top of the; nostril: wrong; rod: dirty, wet, wrong end of the, chipped;
record: wrong page of the, back of the; protection: torn, dirty, damp; limb: wrong;
dressing: unsterile, used, crumpled, torn; wound: uncleaned, only one side of the;
iron: unplugged; jewel: tight, only part of the; hand: wet, greasy; skin: soapy, wet, sore;
skin patch: soapy, wet, sore, only part of the;
fingers: dirty, wet, cold; cover: dusty; supply: leaking, damaged, dusty;
page: blurred, crumpled, only half of the; sticky: only half of the, only one end of the;
pot: cracked, dirty, upside-down; plant: unwatered, dripping;
earth: dry, stony, too little, far too much; shard: tiny, broken;
plant part: damaged, wilted, only some of the;
fluid: dirty, stale, salty; part: worn, loose; wear: torn, wet, dirty; date: wrong, smudged;
cutting tool: blunt, rusty, only one blade of the; tweezers: bent, dirty, wrong end of the;
shelf: wobbly, cluttered, dusty; office device: unplugged; board: wet, dirty
"""

_RELATIONS = """
into: only halfway into, beside, the wrong way round into; in: next to,
only halfway in; inside: next to, on top of; onto: beside, only halfway onto,
onto the edge of, upside down onto; on: next to, on the edge of, crookedly on;
on valve: crookedly on, only halfway onto, at an angle on; to: next to, to the edge of,
to the wrong side of; from: from beside,
from behind, from the wrong side of;
from surface/board/shelf: from the far side of, from the wrong end of, from the edge of;
from storage: from the back of, from the wrong corner of, from the top of; from basin: from beside;
from heat: only halfway off; off heat: only halfway off;
from tyre/rim/wheel: from only one side of; from plant part: from the tip of;
from dish/vessel/packaging/jar: from beside, from the bottom of;
on board/surface/shelf: on the very edge of, crookedly on, upside down on, halfway off;
on hob: next to, on the cold side of; in storage: on top of, in the wrong corner of, next to;
in basin: on the edge of, next to; in dish/vessel/pot/vial: at the edge of, upside down in,
at an angle in, next to; in sieve/dripper: upside down in, crookedly in, next to;
into dish/vessel/vial/pot/boiler: onto the rim of, beside, past; to dish/sieve/dripper: beside,
onto the rim of, onto the edge of; into cookware: onto the rim of, beside, onto the lid of;
in cookware: at the edge of, next to; on vessel/dish/vial/boiler: at an angle on, next to,
upside down on; to dish: to the edge of, to the table beside, next to;
on bread/sandwich/cooked: on only one half of, on the wrong side of, on the crust of, beside;
over vegetable/salad/brew/cooked: beside, over only one side of, over just one spot of;
on record/document: on the back of, at the very edge of, across the print on;
in record/document: on the cover of, on the wrong page of, in the margin of;
on drive: next to, under, on only one end of; on link: next to, on the wrong side of, only beside;
on wound: next to, below, on only one side of; over wound: beside, above, only halfway over,
at an angle over; on body: beside, above, below; at body: below, above, beside;
on limb: above, below; into frame part: only halfway into, beside, in front of;
to bin: beside, in front of; in bin: beside, in front of, behind; into bin: beside, in front of,
behind, onto the lid of; into office device: only halfway into, the wrong way round into,
upside down into, into the wrong slot of, at an angle into, too low into,
with a jolt into; against chart: upside down against, at an angle against,
far away from, too far above; under tyre: beside, on top of, only halfway under;
through rim: only halfway through, at an angle through, past; onto rim: only halfway onto,
beside, crookedly onto; into tyre: beside; in the middle of: at the edge of, off-centre in,
right up against the side of; at the center of: to one side of, below the center of;
in the center of: to one side of, at the edge of;
out of: only halfway out of; off: only halfway off; over: beside, only halfway over,
past, over only one side of;
around: across, only halfway around; across: along one side of, only halfway across;
under: on top of, beside; underneath: above, beside; beneath: on top of; between: on top of;
through: past, only halfway through; at: beside, below; against: away from, at an angle against;
toward: away from; towards: away from; along: across, only halfway along; behind: in front of;
near: far from; below: above; above: below; beside: on top of; next to: on top of
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
    "uneven chunks", "thick, ragged pieces", "pieces of different sizes", "one crooked piece",
    "thick wedges", "crumbs and scraps", "much too large pieces", "two unequal parts",
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
