"""Qualities, manners, amounts and positions that go wrong, by word, by kind and by preposition.

`SWAPS` turns a word into one that makes the action wrong; `ADDED` gives a thing of a kind a quality
that it should not have; `RELATIONS` moves an action from where it belongs to beside it. Written for
PIE-V.
"""

from functools import cache

_SWAPS = """
hot: cold; cold: lukewarm, hot; warm: cold; boiling: lukewarm, cold; running: stagnant;
cool: boiling hot; lukewarm: boiling hot;
left: right; right: left; upper: lower; lower: upper; front: rear; rear: front;
inner: outer; inside: outside; outside: inside; top: bottom; bottom: top;
small: large; large: small; big: small; long: short; short: long; thin: thick; thick: thin;
fine: coarse; fine-mesh: coarse-mesh; wide: narrow; deep: shallow; heavy: light;
clean: dirty; dirty: clean; dry: wet; wet: dry; new: old; old: new; fresh: wilted; raw: cooked;
cooked: raw; boiled: raw; dried: fresh;
peeled: unpeeled; chopped: whole; diced: whole; sliced: whole; minced: whole; grated: whole;
shredded: whole; beaten: unbeaten; ground: whole; measured: unmeasured; washed: unwashed;
flattened: lumpy; prepared: half-finished; mixed: unmixed;
used: unused; unused: used; open: closed; closed: open; sealed: torn;
red: green; green: red; yellow: brown; white: black; black: white; brown: white; pink: black;
both: only one of the; all: half of the; each: every other; every: every other;
some: far too much; few: far too many; little: lot of; more: far too much; pinch: handful;
half: all; quarter: half; two: five; three: six; four: two; five: two; ten: two; one: half a;
second: first; first: last; other: same; appropriate: undersized; correct: wrong;
erect: tilted; upright: tilted; consistent: changing; low: high; high: low;
gently: forcefully; carefully: carelessly; slowly: hastily; quickly: very slowly;
properly: loosely; correctly: backwards; firmly: loosely; tightly: loosely; loosely: tightly;
securely: loosely; partially: fully, all the way; fully: only halfway; completely: only partly;
evenly: in one spot; thoroughly: hastily; well: barely; together: separately;
briefly: for far too long; continuously: only now and then; clockwise: anticlockwise;
counterclockwise: clockwise;
anticlockwise: clockwise; down: sideways; up: sideways; back: forward; forward: back;
backwards: forwards; forwards: backwards; through: halfway through; smooth: lumpy;
soft: rubbery; tender: mushy; golden: burnt; minutes: seconds; minute: second; seconds: minutes;
hours: minutes; hour: minute; slow: hasty; disposal: reuse;
interlocked: crossed; bright: dark; thirds: eighths;
safety: reading; distilled: tap; lukewarm: icy; gloved: bare
"""

_ADDED = """
dish: dirty, wet, cracked; vessel: dirty, cracked, half-empty; cookware: cold, wet, dirty;
packaging: torn, leaking, half-empty; jar: wrong, half-empty; stirrer: dirty, wet, greasy;
measure: heaped, wet; cutter: blunt, dirty; cloth: greasy, soaking wet, dusty; sieve: clogged,
torn; board: wet, dirty; roller: sticky, wet; surface: wet, cluttered; storage: wrong, upper; hob:
cold, greasy; control: wrong, rear; basin: dirty, overfull; tap: wrong; bin: overfull; vegetable:
unwashed, unripe, bruised; leaf: unwashed, wilted; fruit: unwashed, unripe; cherry: unwashed,
bruised; herb: unwashed, wilted; aromatic: unpeeled; clove: unpeeled; spice: wrong, expired; whole
spice: broken; seasoning: lumpy, wrong; powder: lumpy, unsifted; liquid: ice-cold, stale; oil:
burnt, cold; sauce: expired, wrong; fat: frozen, rancid; starch: uncooked, broken, sticky; egg:
unwashed, rotten; batter: lumpy, unmixed; dough: crumbly, sticky; stand: wrong, wet; cooked:
burnt, cold; salad: undressed, soggy; drink: cold, stale; brew: used, damp; teabag: torn, used;
bread: stale, burnt; nuts: unroasted; fish: frozen; seaweed: damp, torn; waste: wet; lid: wrong,
wet; heat: residual; document: wrong, torn, outdated; lighter: empty; machine: unplugged; soap:
diluted; tool: undersized, oversized, worn; striker: heavy; lever: bent; pump: faulty; needle:
bent; wheel: dirty, misaligned; tyre: worn, twisted, punctured; frame part: dirty; fastener:
wrong, rusty; brake: wrong, loose; valve: dirty, bent; drive: dirty, dusty; release: wrong;
lubricant: old, dusty; vial: unlabelled, cracked, uncapped; swab: used, wet; indicator: used,
expired; seal: torn, loose; solution: expired, cloudy; nostril: wrong; rod: dirty, wet; record:
wrong; protection: torn, dirty; body: wrong; limb: wrong; sign: faint; dressing: unsterile, used;
wound: uncleaned; jewel: wrong; hand: wet, greasy; skin: soapy, wet; person: wrong; cover: wrong;
supply: used, leaking; pot: cracked, dirty; earth: dry, stony; plant part: damaged, wilted; fluid:
dirty, old; part: worn, loose; device: wrong; wear: torn, wet
"""

_RELATIONS = """
into: halfway into, beside, onto the edge of; in: next to, on top of, on the edge of; inside: next
to, on top of; onto: beside, under, halfway onto; on: next to, on the edge of, under; to: beside,
to the far side of, onto the edge of; from: from beside, from behind; from surface: from the far
side of, from the edge of; from board: from the edge of, from the far side of; on board: next to,
on the edge of, halfway off; from storage: from the back of, from the top of, from behind; from
basin: from beside; on hob: next to, on the cold side of; in storage: on top of, in the wrong
corner of, next to; from dish: from the edge of, from under; from vessel: from beside, from
behind; from packaging: from behind, from the torn side of; from jar: from behind; in basin: on
the edge of, next to; into dish: onto the rim of, beside, halfway into; into vessel: onto the rim
of, beside; into cookware: onto the rim of, beside, onto the lid of; in cookware: at the edge of,
next to; on drive: next to, under; on wound: beside, below; over wound: beside, above; on link:
next to, between; on body: beside, above, below; at body: below, above, beside; on limb: above,
below; into frame part: halfway into, beside, in front of; to bin: beside, in front of; in bin:
beside, in front of, behind; into bin: beside, in front of, on top of; out of: halfway out of;
off: halfway off; over: beside, under; around: across, only halfway around; across: along one side
of; under: on top of, beside; underneath: above, beside; beneath: on top of; between: on top of;
through: past, only halfway through; at: beside, below; against: away from; toward: away from;
towards: away from; along: across; behind: in front of; near: far from; below:
above; above: below; beside: on top of; next to: on top of
"""

# What a thing goes by when nothing is known about its kind.
UNSPECIFIC = ("wrong", "leftover", "spare")
# How a shaping comes out when it goes wrong (role Result).
BAD_RESULTS = (
    "uneven chunks", "thick, ragged pieces", "pieces of different sizes", "one crooked piece",
)  # fmt: skip
# Relations that make no sense for a substance that is poured or strewn.
SOLID_RELATIONS = frozenset({"halfway into", "halfway onto", "on top of", "under"})


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
        word.strip(): tuple(option.strip() for option in options.split(","))
        for word, colon, options in entries
        if colon
    }
