"""What a planned role reads like when no change surely makes sense: plain words that are true.

A plan may ask for a role in which nothing of the procedure could go wrong believably (profile
`published` draws without asking). The role then is "the wrong one", or the act is done "in the
wrong way", and the writer's notes say so.
"""

import re
from collections.abc import Mapping

from generation.engine.english.forms import gerund, is_participle
from generation.engine.english.surface import without_final_stop
from generation.engine.english.words import with_determiner
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.changes import with_manner
from generation.engine.rewriting.draft import Form, Mutation
from generation.engine.rewriting.role_text import role_span, terms_of
from generation.engine.rewriting.scene import SceneStep
from generation.engine.semrep import Role
from generation.engine.semrep.features import heads_of_role
from generation.engine.semrep.lexicon import LEXICON

# Roles that say how, when or how much: they hold no thing that could be confused with another.
WAYS = frozenset(
    {Role.MANNER, Role.DEGREE, Role.TEMPORAL, Role.DURATION, Role.DIRECTION, Role.QUANTITY,
     Role.CRITERION, Role.CONDITION, Role.RESULT, Role.PROPOSITION, Role.PURPOSE}
)  # fmt: skip
_IN_WORDS: Mapping[str, str] = {
    Role.DEGREE: "only in part",
    Role.TEMPORAL: "at the wrong time",
    Role.DURATION: "not long enough",
    Role.CONDITION: "too early",
    Role.DIRECTION: "in the wrong direction",
    Role.QUANTITY: "in the wrong amount",
    Role.CRITERION: "to the wrong degree",
    Role.RESULT: "with the wrong result",
    Role.INSTRUMENT: "with the wrong tool",
    Role.ORIGIN: "from the wrong place",
    Role.CONTENT: "with the wrong contents",
}
_ANYHOW = "in the wrong way"
_ELSEWHERE = "in the wrong place"
_PLACES = frozenset({Role.DESTINATION, Role.LOCATION, Role.PATH})


def last_change(step: SceneStep, text: str, role: str) -> Mutation:
    """The step with a role plainly wrong."""
    changed = None if role in WAYS else _wrong_thing(step, text, role)
    changed = changed or (_without_purpose(step, text) if role == Role.PURPOSE else None)
    if changed is None:
        words = _ELSEWHERE if role in _PLACES else _IN_WORDS.get(role, _ANYHOW)
        changed = with_manner(text, words), "", words
    written, right, wrong = changed
    return Mutation(written, role, MutationScope.ATTRIBUTE, right, wrong, Form.LAST)


def _wrong_thing(step: SceneStep, text: str, role: str) -> tuple[str, str, str] | None:
    """The text with "the wrong" before the thing of a role; "the wrong one" for a pronoun."""
    heads = () if step.tree is None else heads_of_role(step.tree, role)
    spans = (role_span(step, text, role, head) for head in heads)
    span = next((span for span in spans if span is not None), None)
    if span is not None:
        whole = with_determiner(text, span)
        right = text[span.start : span.end]
        first = right.partition(" ")[0]
        # "The burned arm": the wrong one is not burned.
        name = right.partition(" ")[2] if is_participle(first) and " " in right else right
        before = re.sub(r"\b(?:a little|some) $", "", text[: whole.start])
        return f"{before}the wrong {name}{text[span.end :]}", right, f"wrong {name}"
    words = (term.word for term in terms_of(step, role))
    pronoun = next((word for word in words if word in LEXICON.pronouns), "")
    match = re.search(rf"\b{pronoun}\b", text) if pronoun else None
    if match is None:
        return None
    one = "the wrong ones" if pronoun in {"them", "these", "those"} else "the wrong one"
    return text[: match.start()] + one + text[match.end() :], pronoun, one


def _without_purpose(step: SceneStep, text: str) -> tuple[str, str, str] | None:
    """The text with its purpose missed: "to check" becomes "without checking"."""
    for term in [term for term in terms_of(step, Role.PURPOSE) if term.is_predicate][:1]:
        verb = term.word.lower().partition("_")[0]
        opening = rf"(?<!start )(?<!begin )\b(?:to|for|and) (?:let )?{re.escape(verb)}\b"
        match = re.search(opening, without_final_stop(text), re.IGNORECASE)
        if match is not None:
            wrong = f"without {gerund(verb)}"
            return text[: match.start()] + wrong + text[match.end() :], match.group(), wrong
    return None
