"""Which roles of a step a wrong execution changed, by the words and the trees of both texts.

The planned roles come from the representation of the original step. A writer's text has none, so a
role counts as changed if its words changed, or if its value differs between the trees of the two
texts, and as kept only if neither is the case.
"""

from collections import Counter
from functools import lru_cache

from generation.engine.english.actions import actions_of, heads_of
from generation.engine.english.analyser import read_tree, tree_of_text
from generation.engine.english.forms import singular
from generation.engine.english.surface import DETERMINERS
from generation.engine.english.words import (
    EMPTY_WORDS,
    kin,
    preposition_before,
    spans_of,
    word_set_of,
    words_of,
)
from generation.engine.judging.words import WORDS
from generation.engine.semrep import Role, SemRep
from generation.engine.semrep.features import features
from generation.engine.semrep.lexicon import PREPOSITIONS
from generation.engine.semrep.tree import walk_terms

_WORD_BREAKS = str.maketrans({"_": " ", "-": " "})
# Roles that say in what way, how long or how much; a text that adds such a detail changes them.
_WAYS = frozenset(
    {Role.MANNER, Role.TEMPORAL, Role.DEGREE, Role.DURATION, Role.QUANTITY, Role.RESULT,
     Role.CONDITION, Role.PURPOSE, Role.DIRECTION, Role.PATH, Role.PROPOSITION, Role.CRITERION}
)  # fmt: skip

_PLACES = frozenset({Role.DESTINATION, Role.LOCATION, Role.ORIGIN, Role.COOBJECT, Role.PATH})


def is_mutated(role: str, semrep: str, original: str, text: str) -> bool:
    """Whether the value of a role differs between the original step and the written text."""
    tree = read_tree(semrep, original)
    words = _role_words(tree, role)
    written = word_set_of(text)
    if any(word in word_set_of(original) and word not in written for word in words):
        return True
    before, after = _value(original, role), _value(text, role)
    if before != after and (after or role in _WAYS):
        return True
    first = next(iter(actions_of(original).actions), None)
    if role == Role.OBJECT and first is not None:
        # `Get a bowl, but grab a plate`: the same kind of action has another object as well.
        alike = [action for action in actions_of(text).actions if action.family is first.family]
        if {kin(head) for action in alike for head in action.objects} - {*map(kin, first.objects)}:
            return True
    counts, new_counts = (Counter(map(singular, words_of(it))) for it in (original, text))
    if any(new_counts[word] > counts[word] > 0 for word in words - EMPTY_WORDS):
        return True
    if role in _PLACES:
        others = {item.role for item in tree.arguments if item.role} - {role} if tree else set()
        taken = {word for other in others for word in _role_words(tree, other)}
        if not (words - EMPTY_WORDS - taken) & word_set_of(original):
            # The original does not mention the place, so a text that names one changes it.
            new = heads_of(text) - heads_of(original)
            spans = (span for head in new for span in spans_of(text, head))
            return any(preposition_before(text, span, WORDS.placing) for span in spans)
    if role in _WAYS and written - word_set_of(original):
        return True
    return _is_qualified_anew(words - EMPTY_WORDS, original, text)


def _is_qualified_anew(words: frozenset[str], original: str, text: str) -> bool:
    """Whether a new word qualifies a word of the role: "the *wrong* vial", "*halfway* off".

    A new thing before the role's preposition qualifies nothing: "pour *oil* into the cup".
    """
    named = {kin(head) for head in heads_of(text)} - WORDS.no_things
    old = word_set_of(original) | named
    written = [singular(word) for word in words_of(text)]
    for index, word in enumerate(written):
        if word not in words:
            continue
        before = index - 1
        while before >= 0 and (written[before] in DETERMINERS or written[before] in words):
            before -= 1
        while before > 0 and written[before] in PREPOSITIONS and written[before] in old:
            before -= 1  # "Out of" is two words.
        if before > 0 and written[before] not in old:
            return True
    return False


def foreign_changes(
    roles: tuple[str, ...], semrep: str, original: str, text: str
) -> tuple[tuple[str, str], ...]:
    """(Role, head) of each thing in a role outside the plan that the text leaves out."""
    tree = read_tree(semrep, original)
    if tree is None:
        return ()
    by_role = features(tree).entity_heads_by_role
    planned_heads = [head for role in roles for head in by_role.get(role, ())]
    planned = {kin(head) for head in planned_heads}
    # A thing may occur only inside the name of another: the valve in "valve cap".
    spans = (span for head in planned_heads for span in spans_of(original, head))
    taken = {place for span in spans for place in range(span.first, span.last + 1)}
    written = {kin(word) for word in word_set_of(text)}
    original_words = {kin(word) for word in word_set_of(original)}
    return tuple(
        (role, heads[0])
        for role, heads in by_role.items()
        if role not in {*roles, Role.AGENT}
        and kin(heads[0]) not in planned
        and kin(heads[0]) in original_words - written
        and not ((own := spans_of(original, heads[0])) and all(span.first in taken for span in own))
    )


@lru_cache(maxsize=65_536)
def _value(text: str, role: str) -> tuple[str, ...]:
    """The values of a role in a text, one for each clause that has it."""
    tree = tree_of_text(text)
    clauses = () if tree is None else tree.clauses
    return tuple(
        str(argument.value)
        for clause in clauses
        for argument in clause.arguments
        if argument.role == role
    )


def _role_words(tree: SemRep | None, role: str) -> frozenset[str]:
    """The words of a role's value, as they may occur in the text."""
    value = None if tree is None else tree.argument(role)
    if value is None:
        return frozenset()
    words = " ".join(term.word.lower() for term in walk_terms(value)).translate(_WORD_BREAKS)
    return frozenset(map(singular, words.split()))
