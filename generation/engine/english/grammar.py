"""What the analyser knows of English: which words open, close and link the parts of an imperative.

All lists are words of the language, by class; none is a sentence or a phrase of a data set.
"""

from generation.engine.semrep.roles import Role
from generation.engine.word_lists import word_set

DETERMINERS = word_set("a an the this that these those your my our")
POSSESSIVE_PRONOUNS = word_set("her his their its")
# Quantities that the published representations keep apart from the thing: `oil(Quantity: some)`.
LOOSE_QUANTITIES = word_set("some")
SUBJECTS = word_set("you she he they i we person")

UNITS_OF_MEASURE = word_set(
    """
    can cans clove cloves cup cups dash drop drops g gram grams handful inch inches kg l litre
    litres milliliter milliliters ml ounce ounces oz pack packs piece pieces pinch pound pounds
    slice slices tablespoon tablespoons tbsp tbsps teaspoon teaspoons tsp tsps
    """
)

# Words that open a phrase; the longest match wins.
PREPOSITION_PHRASES = (
    ("on", "top", "of"),
    ("in", "front", "of"),
    ("with", "the", "help", "of"),
    ("out", "of"),
    ("off", "of"),
    ("next", "to"),
    ("away", "from"),
    ("instead", "of"),
    ("inside", "of"),
    ("close", "to"),
)
SIMPLE_PREPOSITIONS = word_set(
    """
    above across against along around at behind below beneath beside between by down during for
    from in inside into near off on onto over past round through to toward towards under underneath
    up upon using via with within without like
    """
)
# Spellings that the published representations merge.
PREPOSITION_SPELLING = {
    "towards": "toward",
    "upon": "on",
    "with_the_help_of": "with",
    "using": "with",
    "inside_of": "inside",
    "off_of": "off",
    "round": "around",
}

# Verb and particle that mean one action, whether together or with the object between them.
PHRASAL_VERBS: dict[str, frozenset[str]] = {
    verb: word_set(particles)
    for verb, particles in {
        "add": "in",
        "blow": "out up off",
        "break": "apart down off open up",
        "bring": "back down out up",
        "brush": "away off",
        "call": "out",
        "chop": "off up",
        "clamp": "together down",
        "clean": "off out up",
        "clear": "away off up",
        "close": "up",
        "cool": "down",
        "crack": "open",
        "cut": "apart away off open out up",
        "dish": "out up",
        "drain": "off out",
        "dry": "off out up",
        "dust": "off",
        "empty": "out",
        "fill": "in up",
        "flip": "over",
        "fold": "down in over up",
        "hang": "up",
        "heat": "up",
        "hold": "down up",
        "kneel": "down",
        "lay": "down out",
        "let": "go out",
        "lie": "down",
        "lift": "off up",
        "light": "up",
        "line": "up",
        "look": "up",
        "measure": "out",
        "mix": "in up",
        "mop": "up",
        "open": "up",
        "pack": "up",
        "peel": "away back off",
        "pick": "out up",
        "plug": "in",
        "pop": "out",
        "pour": "away off out",
        "press": "down in",
        "pull": "apart away back down off out up",
        "pump": "up",
        "push": "back down in out up",
        "put": "aside away back down off on together",
        "rinse": "off out",
        "roll": "out up",
        "scoop": "out up",
        "scrape": "away off out",
        "screw": "in off on",
        "set": "aside down up",
        "shake": "off out up",
        "shut": "down off",
        "sit": "down",
        "slice": "off open up",
        "slide": "off out",
        "soak": "up",
        "spread": "out",
        "squeeze": "out",
        "stand": "up",
        "stir": "fry in",
        "switch": "off on",
        "take": "apart away back down off out up",
        "tear": "apart off open up",
        "throw": "away out",
        "tie": "off up",
        "tighten": "up",
        "top": "up",
        "trim": "off",
        "turn": "around down off on over up",
        "twist": "off",
        "unplug": "",
        "warm": "up",
        "wash": "away off out up",
        "wind": "up",
        "wipe": "away down off up",
        "wrap": "up",
    }.items()
}
# Particles that are prepositions as well: after the object they count only where nothing follows.
AMBIGUOUS_PARTICLES = word_set("on off over in down up around")
# Particle verbs for which the published representations use another one.
PREDICATE_SYNONYMS = {"PUT_OFF": "TURN_OFF", "ADD_IN": "ADD"}

DIRECTION_WORDS = word_set(
    """
    back backward backwards forward forwards left right up down upward upwards downward downwards
    sideways clockwise counterclockwise anticlockwise inward inwards outward outwards aside away
    """
)
DEGREE_WORDS = word_set("well slightly fully completely partially thoroughly halfway enough")
MANNER_WORDS = word_set("together apart open evenly gently again twice once")
TEMPORAL_WORDS = word_set("again now immediately then briefly continuously")

# Verbs by what their complements mean.
PLACING_VERBS = word_set(
    """
    add apply crack discard dip dispose drop dump hang immerse insert install keep lay load lower
    mount place plunge position pour put put_aside put_away put_back put_down return set serve
    soak spray spread sprinkle stick store submerge throw throw_away transfer attach arrange
    """
)
HOLDING_VERBS = word_set(
    "beat check check_out get grab inspect mix open pick pick_up read retrieve stir take wipe"
)
JOINING_VERBS = word_set(
    "align apply attach compare connect fasten fit fix hold hook join link screw secure tie tighten"
)
MIXING_VERBS = word_set("blend combine mix replace toss swap")
DIVIDING_VERBS = word_set(
    """
    break carve chop crumble crush cut dice divide fold form grate grind halve mince saw separate
    shape shred slice split tear
    """
)
CHECKING_VERBS = word_set("check confirm ensure examine inspect look see verify ask find")

# Things that people hold to work with; a phrase after them belongs to the action, not to them.
TOOLS = word_set(
    """
    board brush chopstick chopsticks cloth cutter fork grater hammer hand hands key knife ladle
    lever lighter mallet mat mitt napkin needle opener palm palms peeler pin pliers pump rag
    scissors scoop screwdriver shears sieve spatula sponge spoon spoons stick stirrer strainer
    tissue tongs tool towel toothbrush toothbrushes whisk wrench wrenches finger fingers thumb
    scraper tweezers holder
    """
)
CONTAINERS = word_set(
    """
    bag basin basket bin board bottle bowl box bucket can carton case container cooker cup dish
    drawer dustbin fridge glass jar jug kettle mug oven pack pan plate pocket pot refrigerator
    saucepan sink skillet tin tray trash tub tube vial wok
    """
)

ROLE_OF_PREPOSITION: dict[str, Role] = {
    "from": Role.ORIGIN,
    "off": Role.ORIGIN,
    "out_of": Role.ORIGIN,
    "away_from": Role.ORIGIN,
    "into": Role.DESTINATION,
    "onto": Role.DESTINATION,
    "to": Role.DESTINATION,
    "toward": Role.DESTINATION,
    "between": Role.DESTINATION,
    "on_top_of": Role.DESTINATION,
    "with": Role.INSTRUMENT,
    "via": Role.INSTRUMENT,
    "by": Role.MANNER,
    "without": Role.MANNER,
    "like": Role.MANNER,
    "for": Role.PURPOSE,
    "during": Role.TEMPORAL,
    "through": Role.PATH,
    "across": Role.PATH,
    "along": Role.PATH,
    "around": Role.PATH,
    "past": Role.PATH,
    "instead_of": Role.CONDITION,
}
# Prepositions of place: where a thing is put by a placing verb, where the action is otherwise.
PLACE_PREPOSITIONS = word_set(
    """
    above against at behind below beneath beside close_to down in in_front_of inside near next_to
    on over under underneath up within
    """
)
UNITS_OF_TIME = word_set(
    "second seconds minute minutes hour hours moment moments while time times sec secs min mins"
)

SUBORDINATORS: dict[str, tuple[Role, str]] = {
    "while": (Role.TEMPORAL, "WHILE"),
    "until": (Role.TEMPORAL, "UNTIL"),
    "till": (Role.TEMPORAL, "UNTIL"),
    "before": (Role.TEMPORAL, "BEFORE"),
    "after": (Role.TEMPORAL, "AFTER"),
    "when": (Role.TEMPORAL, "WHEN"),
    "once": (Role.TEMPORAL, "WHEN"),
    "if": (Role.CONDITION, "IF"),
    "whether": (Role.CONDITION, "IF"),
}
COPULAS = word_set("is are be gets becomes become has have was were looks turns")
NEGATIONS = word_set("not n't no")

# Verbs that are also nouns, and that people use as verbs after `to` and `and`.
COMMON_ACTIONS = word_set(
    """
    adjust allow attach bake beat blend boil break bring brush check chop clamp clean close coat
    collect combine confirm cook cool cover crack cut detect dip dispose drain drop dry empty ensure
    fill fit flatten flip fold form get give heat hold increase insert inspect lift loosen lower
    make mix move open peel perform pick place pour press prevent pull push put reduce remove return
    rinse roll rotate scoop screw seal see serve set shake slice slide spread sprinkle squeeze start
    steep stir stop strain take tear throw tighten tilt toss transfer turn use wash whisk wipe
    regulate soften melt thicken clear soak scrape rub spin support secure separate avoid release
    """
)
