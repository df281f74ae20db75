"""Actions that a person could do in place of another one, and manners in which one fails.

Written for PIE-V. `{object}` stands for the object of the step, definite; `{tool}` and `{place}`
for its own phrases of these roles, blank where it has none.
"""

from generation.engine.rewriting.families import Family

# Actions on the same object that are easily taken for the intended one and leave it where it is.
CONFUSABLE: dict[Family, tuple[str, ...]] = {
    Family.CUT: (
        "Peel {object}{tool}{place}", "Grate {object}{place}", "Rinse {object} once more",
        "Mash {object}{place}", "Score {object}{tool}{place}", "Wipe {object}{place}",
    ),
    Family.STIR: (
        "Skim {object}{tool}{place}", "Poke at {object}{tool}{place}",
        "Tap on {object}{tool}{place}",
    ),
    Family.HEAT: ("Poke at {object}{place}", "Skim {object}{place}", "Tap on {object}{place}"),
    Family.CLEAN: (
        "Dry {object}{tool}", "Rinse {object}{place}", "Scrub {object}{tool}{place}",
        "Pat {object}{tool}",
    ),
    Family.LOOK: ("Wipe {object}", "Adjust {object}", "Shake {object}", "Tap on {object}"),
    Family.LOOSEN: ("Tighten {object}{tool}", "Oil {object}", "Wipe {object}{tool}"),
    Family.TIGHTEN: ("Loosen {object}{tool}", "Tap on {object}{tool}", "Wipe {object}"),
    Family.MOVE: ("Tap on {object}{tool}", "Wipe {object}", "Hold {object} still{tool}"),
    Family.PRESS: ("Rub {object}{tool}", "Pinch {object}", "Pat {object}{tool}"),
    Family.OPEN: ("Shake {object}", "Squeeze {object}", "Wipe {object}"),
    Family.CLOSE: ("Shake {object}", "Tilt {object}", "Wipe {object}"),
    Family.INFLATE: ("Squeeze {object}", "Spin {object}", "Wipe {object}"),
    Family.DEFLATE: ("Spin {object}", "Squeeze {object}", "Wipe {object}"),
    Family.PLACE: ("Shake {object}", "Wipe {object}", "Turn {object} over"),
    Family.TAKE_OUT: ("Inspect {object}", "Look at {object}", "Tap on {object}"),
    Family.DISPOSE: ("Rinse {object}", "Sort {object}", "Set {object} aside"),
    Family.SWITCH_ON: ("Wipe {object}", "Tap on {object}"),
    Family.SWITCH_OFF: ("Wipe {object}", "Tap on {object}"),
    Family.WAIT: ("Shake {object}", "Check on {object}", "Blow on {object}"),
    Family.RELEASE: ("Wipe {object}", "Shake {object}", "Turn {object} over"),
    Family.ADD: ("Shake {object}", "Sniff at {object}", "Inspect {object}"),
    Family.ACQUIRE: ("Inspect {object}{place}", "Look at {object}", "Point at {object}"),
    Family.OTHER: ("Inspect {object}", "Tap on {object}", "Wipe {object}", "Pat {object}"),
}  # fmt: skip

# How an action fails when none of its roles can be changed; put after the text of the step.
FAILED_MANNERS: dict[Family, tuple[str, ...]] = {
    Family.ACQUIRE: ("with the wrong hand", "with wet hands"),
    Family.ADD: ("in one go", "from too high up"),
    Family.PLACE: ("upside down", "at an angle", "back to front"),
    Family.CUT: ("at a slant", "with a sawing motion", "against the grain"),
    Family.STIR: ("only at the edge", "far too fast", "in jerks"),
    Family.CLEAN: ("on one side only", "with dirty hands", "in a hurry"),
    Family.WAIT: ("for half the time", "for twice as long"),
    Family.LOOK: ("from the wrong side", "without looking closely"),
    Family.MOVE: ("in the wrong direction", "too far", "with a jerk"),
    Family.PRESS: ("too softly", "in the wrong place", "at an uneven pace"),
    Family.TIGHTEN: ("only halfway", "at a slant", "in the wrong direction"),
    Family.LOOSEN: ("in the wrong direction", "only by half a turn"),
    Family.SWITCH_ON: ("at the highest setting", "at the lowest setting"),
    Family.SWITCH_OFF: ("too early", "only halfway"),
    Family.HEAT: ("on the highest setting", "for half the time"),
    Family.OPEN: ("from the wrong end", "by tearing it"),
    Family.CLOSE: ("at a slant", "only halfway"),
    Family.OTHER: ("only halfway", "in a hurry", "on the wrong side", "with one hand"),
}
