"""The role of each phrase in its clause, and the value of its words in that role."""

from generation.engine.english.clauses import JOINERS, Phrase
from generation.engine.english.forms import is_base_verb
from generation.engine.english.grammar import GRAMMAR
from generation.engine.semrep.roles import Role
from generation.engine.semrep.tree import Argument, Joint, Parentheses, Term, Value

AGENT = Argument(Role.AGENT.value, Term("you"))
# In these roles the preposition adds nothing to the role.
BARE_ROLES = frozenset({Role.OBJECT, Role.INSTRUMENT, Role.RESULT})
GOALS = frozenset({"to", "into", "onto"})
SOURCES = frozenset({"from", "out_of"})
_DATES = frozenset({None, "in", "at", "on", "within", "during", "by", "over"})
PLACE_ROLES = frozenset({Role.DESTINATION, Role.ORIGIN, Role.LOCATION, Role.PATH})
_PARTNER_VERBS = GRAMMAR.mixing_verbs | GRAMMAR.joining_verbs
_MEASURES = GRAMMAR.units_of_measure | {"heaped"}
_NO_NAMES = GRAMMAR.determiners | {"its", "'s"}

Strings = tuple[str, ...]


def attach_phrases(predicate: str, phrases: tuple[Phrase, ...]) -> list[Argument]:
    """The arguments for the phrases after a verb, in their order.

    `predicate` is in lower case with its particle: `put_back`.
    """
    attached: list[tuple[Role, Phrase, list[Argument]]] = []
    for index, phrase in enumerate(phrases):
        used = {role for role, _, _ in attached}
        has_goal_ahead = any(item.preposition in GOALS for item in phrases[index + 1 :])
        # Before a goal, `the flour in the cup` says which flour, not where to add it.
        is_which = has_goal_ahead and used == {Role.OBJECT} and phrase.preposition in {"in", "on"}
        if attached and (is_which or _belongs_to_last(predicate, phrase, attached[-1], used)):
            role = Role.ORIGIN if phrase.preposition in SOURCES else Role.LOCATION
            inner = wrap(str(phrase.preposition), noun_value(phrase.words))
            attached[-1][2].append(Argument(role.value, inner))
        else:
            attached.append((_role(predicate, phrase, used), phrase, []))
    arguments = []
    for role, phrase, nested in attached:
        value = add_arguments(noun_value(phrase.words), tuple(nested))
        is_plain_goal = role is Role.DESTINATION and phrase.preposition == "to"
        if role is Role.PURPOSE and predicate in GRAMMAR.checking_verbs:
            # `Check the tyre for damage` means in order to find damage.
            sought = Argument(Role.OBJECT.value, noun_value(phrase.words))
            value = Term("FIND", (Parentheses((AGENT, sought)),))
        elif phrase.preposition is not None and role not in BARE_ROLES and not is_plain_goal:
            value = wrap(phrase.preposition, value)
        arguments.append(Argument(role.value, value))
    return arguments


def _belongs_to_last(
    predicate: str, phrase: Phrase, last: tuple[Role, Phrase, list[Argument]], used: set[Role]
) -> bool:
    """Whether a phrase of place says where the thing just mentioned is."""
    role, named, _ = last
    is_stuff = role is Role.INSTRUMENT and named.head not in GRAMMAR.tools
    is_held = predicate in GRAMMAR.holding_verbs
    if phrase.preposition in SOURCES:
        return (is_stuff and not is_held) or role is Role.LOCATION
    if phrase.preposition not in GRAMMAR.place_prepositions:
        return False
    if role in PLACE_ROLES or role is Role.COOBJECT or is_stuff:
        return True
    return role is Role.OBJECT and used == {Role.OBJECT} and is_held


def _role(predicate: str, phrase: Phrase, used: set[Role]) -> Role:
    preposition, verb = phrase.preposition, predicate.split("_")[0]
    if role := _role_of_measure(phrase, is_second=Role.OBJECT in used):
        return role
    if preposition is None:
        return Role.COOBJECT if Role.OBJECT in used else Role.OBJECT
    if preposition == "with":
        is_partner = verb in _PARTNER_VERBS and phrase.head not in GRAMMAR.tools
        is_partner = is_partner and Role.COOBJECT not in used
        return Role.COOBJECT if is_partner or Role.INSTRUMENT in used else Role.INSTRUMENT
    if preposition in GOALS:
        # "Into quarters", "to a square"; not "to the edge".
        is_form = preposition == "into" or phrase.words[0] not in GRAMMAR.determiners - {"a", "an"}
        is_form = is_form and phrase.head not in GRAMMAR.containers
        if is_form and verb in GRAMMAR.dividing_verbs:
            return Role.RESULT
        is_join = preposition == "to" and verb in GRAMMAR.joining_verbs
        if is_join and Role.COOBJECT not in used:
            return Role.COOBJECT
        return Role.LOCATION if Role.DESTINATION in used else Role.DESTINATION
    if preposition == "on" and verb in GRAMMAR.contact_verbs and Role.OBJECT not in used:
        return Role.OBJECT
    if preposition in GRAMMAR.place_prepositions:
        is_placing = bool({predicate, verb} & GRAMMAR.placing_verbs)
        return Role.DESTINATION if is_placing and Role.DESTINATION not in used else Role.LOCATION
    return GRAMMAR.roles_of_prepositions.get(preposition, Role.LOCATION)


def _role_of_measure(phrase: Phrase, *, is_second: bool) -> Role | None:
    """The role of a time or a length: "for two days", "the next morning", "a quarter turn".

    A bare phrase is only one if it is the second phrase or a duration.
    """
    preposition, head = phrase.preposition, phrase.head
    is_duration = head in GRAMMAR.units_of_time and not is_base_verb(phrase.words[0])
    if preposition in {None, "for"} and is_duration:
        return Role.DURATION
    if preposition is None and is_second and head in GRAMMAR.units_of_length:
        return Role.DEGREE
    dates = GRAMMAR.times_of_day | (frozenset() if preposition is None else GRAMMAR.units_of_time)
    is_date = head in dates and (is_second or preposition is not None)
    return Role.TEMPORAL if is_date and preposition in _DATES else None


def wrap(word: str, value: Value) -> Term:
    return Term(word, (Parentheses((Argument(None, value),)),))


def add_arguments(value: Value, arguments: tuple[Argument, ...]) -> Value:
    """The value with more arguments inside the parentheses of its (last) term."""
    if not arguments:
        return value
    if isinstance(value, Joint):
        last = add_arguments(value.parts[-1], arguments)
        return Joint((*value.parts[:-1], last), value.joiners)
    assert isinstance(value, Term)
    return Term(value.word, (Parentheses(value.arguments + arguments),))


def noun_value(words: Strings) -> Value:
    """The value of a noun phrase.

    >>> str(noun_value(("the", "lid", "of", "a", "jar"))), str(noun_value(("some", "oil")))
    ('lid(of(jar))', 'oil(Quantity: some)')
    """
    is_composite = words[-1] in GRAMMAR.composites and words.count("and") == 1
    if is_composite and "," not in words:
        return _single_value(words)
    pieces: list[list[str]] = [[]]
    for word in words:
        if word in JOINERS:
            pieces.append([])
        else:
            pieces[-1].append(word)
    values = tuple(_single_value(tuple(piece)) for piece in pieces if piece)
    if len(values) > 1:
        return Joint(values, (" & ",) * (len(values) - 1))
    return values[0] if values else _single_value(words)


def _single_value(words: Strings) -> Term:
    is_number = words[0][0].isdigit() and len(words) > 1
    if is_number and words[-1] not in GRAMMAR.units_of_time:
        # The words at the start that say how much: two in `1/4 teaspoon salt`.
        length = 1
        while length < len(words) - 1 and words[length] in _MEASURES:
            length += 1
        rest = words[length + 1 :] if words[length] == "of" else words[length:]
        measure = "_".join(words[:length]).replace("-", "_")
        return _with(_single_value(rest or words[length:]), Role.QUANTITY.value, Term(measure))
    for sign in ("of", "'s"):
        if sign in words[1:-1]:
            middle = words.index(sign, 1)
            before, after = words[:middle], words[middle + 1 :]
            named, owner = (before, after) if sign == "of" else (after, before)
            return _with(_single_value(named), None, wrap("of", _single_value(owner)))
    if len(words) > 1 and words[0] in GRAMMAR.possessive_pronouns - {"its"}:
        return _with(_single_value(words[1:]), None, wrap("of", Term(words[0])))
    if words[0] in GRAMMAR.predeterminers and len(words) > 2 and words[1] in GRAMMAR.determiners:
        words = words[2:]  # "All the body packs" are body packs.
    is_loose = len(words) > 1 and words[0] in GRAMMAR.loose_quantities
    named = words[1:] if is_loose else words
    kept = [word for word in named if word not in _NO_NAMES]
    thing = Term("_".join(kept or named).replace("-", "_"))
    return _with(thing, Role.QUANTITY.value, Term(words[0])) if is_loose else thing


def _with(thing: Term, role: str | None, value: Value) -> Term:
    return Term(thing.word, (Parentheses((*thing.arguments, Argument(role, value))),))
