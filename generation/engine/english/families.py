"""What an action does to the things of a scene: families of predicates.

The families are those of the published judge (reference, section 4.3), with the verbs that it left
out of acquisition (8.7) and without those that it misread: one tosses a salad and keeps it.
"""

from enum import StrEnum


class Family(StrEnum):
    """What an action does to its object."""

    ACQUIRE = "acquire"
    RELEASE = "release"
    PLACE = "place"
    ADD = "add"
    TAKE_OUT = "take_out"
    CUT = "cut"
    STIR = "stir"
    CLEAN = "clean"
    OPEN = "open"
    CLOSE = "close"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    TIGHTEN = "tighten"
    LOOSEN = "loosen"
    INFLATE = "inflate"
    DEFLATE = "deflate"
    DISPOSE = "dispose"
    LOOK = "look"
    WAIT = "wait"
    MOVE = "move"
    PRESS = "press"
    HEAT = "heat"
    SPILL = "spill"
    DROP = "drop"
    OTHER = "other"


_PREDICATES = {
    Family.ACQUIRE: "GET TAKE GRAB PICK PICK_UP RETRIEVE FETCH COLLECT BRING OBTAIN",
    Family.RELEASE: "RETURN PUT_BACK PUT_AWAY STORE",
    Family.PLACE: (
        "PLACE PUT SET SET_DOWN PUT_DOWN POSITION LAY ARRANGE INSERT FIT MOUNT INSTALL STAND STICK "
        "TUCK HANG LEAN FIX ATTACH CONNECT REST CLICK PUT_IN"
    ),
    Family.ADD: (
        "ADD POUR SPRINKLE TRANSFER FILL CRACK SPREAD DRIZZLE APPLY DISH SERVE DIP SCOOP "
        "RELEASE COAT GARNISH SPRAY TOP SEASON"
    ),
    Family.TAKE_OUT: (
        "REMOVE EXTRACT PULL_OUT TAKE_OUT PRY PRY_OUT SEPARATE UNBOX UNWRAP UNPACK CUT_OUT "
        "TAKE_OFF LIFT LIFT_OFF PEEL_OFF TEAR_OFF DRAIN STRAIN"
    ),
    Family.CUT: (
        "CUT CHOP DICE SLICE MINCE PEEL CUT_OFF CARVE GRATE SHRED TRIM JULIENNE CRUSH MASH "
        "SLICE_UP CHOP_UP CUT_UP HALVE"
    ),
    Family.STIR: (
        "STIR MIX WHISK BEAT COMBINE KNEAD TOSS SWIRL SHAKE BLEND STIR_FRY FOLD MIX_UP ROLL "
        "ROLL_OUT ROLL_UP FLATTEN RUB"
    ),
    Family.CLEAN: "WASH RINSE CLEAN SCRUB WIPE DRY WIPE_OFF WIPE_UP WET WASH_OFF DAB DISINFECT",
    Family.OPEN: "OPEN UNSEAL UNSCREW UNCOVER UNCORK UNLOCK UNCAP UNZIP",
    Family.CLOSE: "CLOSE COVER SEAL SCREW CAP LOCK SHUT WRAP",
    Family.SWITCH_ON: "TURN_ON SWITCH_ON START LIGHT IGNITE",
    Family.SWITCH_OFF: "TURN_OFF SWITCH_OFF STOP",
    Family.TIGHTEN: "TIGHTEN FASTEN SCREW_IN ENGAGE",
    Family.LOOSEN: "LOOSEN UNFASTEN DISENGAGE SLACKEN",
    Family.INFLATE: "INFLATE PUMP PUMP_UP",
    Family.DEFLATE: "DEFLATE",
    Family.DISPOSE: "DISPOSE DISCARD THROW THROW_AWAY TRASH DUMP DUMP_OUT DISPOSE_OF",
    Family.LOOK: (
        "CHECK READ INSPECT LOOK EXAMINE OBSERVE FEEL LOCATE MEASURE TEST TASTE SMELL "
        "COMPARE VERIFY"
    ),
    Family.WAIT: "WAIT ALLOW LET STEEP REST_FOR",
    Family.MOVE: "MOVE SLIDE PUSH PULL TURN ROTATE TILT FLIP BACKPEDAL SPIN FLIP_OVER RUN",
    Family.PRESS: "PRESS PRESS_DOWN COMPRESS SQUEEZE TAP HIT",
    Family.HEAT: "HEAT COOK BOIL FRY SAUTE ROAST BAKE SIMMER TOAST WARM MELT",
    Family.SPILL: "SPILL DRIP SPLASH SMEAR SCATTER DRIBBLE",
    Family.DROP: "DROP KNOCK KNOCK_OVER",
}
_FAMILY_BY_PREDICATE = {
    predicate: family for family, listing in _PREDICATES.items() for predicate in listing.split()
}

# An action of these puts its object where its Destination (or Location) says.
PUTTING = frozenset({Family.ADD, Family.PLACE, Family.RELEASE})
# An action of these works on its object at its Location and leaves it there.
WORKING = frozenset({Family.CUT, Family.STIR, Family.HEAT})


def family_of(predicate: str) -> Family:
    """Return the family of a predicate; an unknown one is of its first word's family.

    >>> family_of("PICK"), family_of("CUT_THROUGH"), family_of("SING")
    (<Family.ACQUIRE: 'acquire'>, <Family.CUT: 'cut'>, <Family.OTHER: 'other'>)
    """
    known = _FAMILY_BY_PREDICATE.get(predicate)
    if known is not None:
        return known
    return _FAMILY_BY_PREDICATE.get(predicate.partition("_")[0], Family.OTHER)
