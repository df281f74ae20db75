"""Decide what each phrase of a clause is to its verb: a role of the action, or part of a thing."""

from dataclasses import dataclass, field

from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.phrases import (
    Phrase,
    add_arguments,
    looks_like_duration,
    noun_value,
    wrap,
)
from generation.engine.semrep.roles import Role
from generation.engine.semrep.tree import Argument, Parentheses, Term, Value

AGENT = Argument(Role.AGENT.value, Term("you"))
# Verbs that act on what stands after `on`: `press on the lever`.
CONTACT_VERBS = frozenset({"press", "push", "tap", "step", "click", "knock"})
BARE_ROLES = frozenset({Role.OBJECT, Role.INSTRUMENT, Role.RESULT})
GOALS = frozenset({"to", "into", "onto"})
PLACE_ROLES = frozenset({Role.DESTINATION, Role.ORIGIN, Role.LOCATION, Role.PATH})


@dataclass
class Slot:
    """One role of the clause while it is put together."""

    role: Role
    phrase: Phrase
    nested: list[Argument] = field(default_factory=list)

    def value(self) -> Value:
        inner = add_arguments(noun_value(self.phrase.words), tuple(self.nested))
        preposition = self.phrase.preposition
        is_plain_goal = self.role is Role.DESTINATION and preposition == "to"
        if preposition is None or self.role in BARE_ROLES or is_plain_goal:
            return inner
        return wrap(preposition, inner)


def attach_phrases(predicate: str, phrases: tuple[Phrase, ...]) -> list[Argument]:
    """Return the arguments that the phrases after a verb stand for, in their order.

    `predicate` is in lower case with its particle: `put_back`.
    """
    slots: list[Slot] = []
    for index, phrase in enumerate(phrases):
        last = slots[-1] if slots else None
        taken = {slot.role for slot in slots}
        has_goal_ahead = any(item.preposition in GOALS for item in phrases[index + 1 :])
        # Where a goal follows, `the flour in the cup` says which flour, not where to add it.
        is_which = has_goal_ahead and taken == {Role.OBJECT} and phrase.preposition in {"in", "on"}
        if last is not None and (is_which or _belongs_to_last(predicate, phrase, last, taken)):
            role = Role.ORIGIN if phrase.preposition in {"from", "out_of"} else Role.LOCATION
            inner = wrap(str(phrase.preposition), noun_value(phrase.words))
            last.nested.append(Argument(role.value, inner))
        else:
            slots.append(Slot(_role(predicate, phrase, taken), phrase))
    return [Argument(slot.role.value, _slot_value(predicate, slot)) for slot in slots]


def _slot_value(predicate: str, slot: Slot) -> Value:
    """`Check the tyre for damage` is done in order to find some."""
    is_search = slot.role is Role.PURPOSE and predicate in GRAMMAR.checking_verbs
    if not is_search:
        return slot.value()
    found = Argument(Role.OBJECT.value, noun_value(slot.phrase.words))
    return Term("FIND", (Parentheses((AGENT, found)),))


def _belongs_to_last(predicate: str, phrase: Phrase, last: Slot, taken: set[Role]) -> bool:
    """Return whether a phrase of place says where the thing just named is."""
    is_tool = last.role is Role.INSTRUMENT and last.phrase.head in GRAMMAR.tools
    if phrase.preposition in {"from", "out_of"}:
        is_stuff = last.role is Role.INSTRUMENT and not is_tool
        return (is_stuff and predicate not in GRAMMAR.holding_verbs) or last.role is Role.LOCATION
    if phrase.preposition not in GRAMMAR.place_prepositions:
        return False
    if last.role in PLACE_ROLES:
        return True
    if last.role is Role.INSTRUMENT:
        return not is_tool
    if last.role is Role.COOBJECT:
        return True
    is_only_object = last.role is Role.OBJECT and taken == {Role.OBJECT}
    return is_only_object and predicate in GRAMMAR.holding_verbs


def _role(predicate: str, phrase: Phrase, taken: set[Role]) -> Role:
    preposition = phrase.preposition
    verb = predicate.split("_")[0]
    if preposition in {None, "for"} and looks_like_duration(phrase):
        return Role.DURATION
    if preposition is None:
        return Role.COOBJECT if Role.OBJECT in taken else Role.OBJECT
    if preposition == "with":
        return _role_of_companion(verb, phrase, taken)
    if preposition in {"to", "into", "onto"}:
        return _role_of_goal(verb, phrase, taken)
    if preposition == "on" and verb in CONTACT_VERBS and Role.OBJECT not in taken:
        return Role.OBJECT
    if preposition in GRAMMAR.place_prepositions:
        is_placing = predicate in GRAMMAR.placing_verbs or verb in GRAMMAR.placing_verbs
        is_free = Role.DESTINATION not in taken
        return Role.DESTINATION if is_placing and is_free else Role.LOCATION
    return GRAMMAR.roles_of_prepositions.get(preposition, Role.LOCATION)


def _role_of_companion(verb: str, phrase: Phrase, taken: set[Role]) -> Role:
    is_partner = verb in GRAMMAR.mixing_verbs | GRAMMAR.joining_verbs
    if is_partner and phrase.head not in GRAMMAR.tools and Role.COOBJECT not in taken:
        return Role.COOBJECT
    return Role.COOBJECT if Role.INSTRUMENT in taken else Role.INSTRUMENT


def _role_of_goal(verb: str, phrase: Phrase, taken: set[Role]) -> Role:
    is_part = phrase.preposition == "into" and phrase.head not in GRAMMAR.containers
    if is_part and verb in GRAMMAR.dividing_verbs:
        return Role.RESULT
    is_join = phrase.preposition == "to" and verb in GRAMMAR.joining_verbs
    if is_join and Role.COOBJECT not in taken:
        return Role.COOBJECT
    return Role.LOCATION if Role.DESTINATION in taken else Role.DESTINATION
