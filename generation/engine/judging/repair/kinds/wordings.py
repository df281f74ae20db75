"""Repairs that say a step otherwise: what is got, opened or called by the name that it has now."""

from collections.abc import Callable
from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.english.forms import singular
from generation.engine.english.surface import as_words, definite, in_style_of, lower_first
from generation.engine.english.words import names, spans_of, with_determiner
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import Repair, repair
from generation.engine.rewriting.cascades import apply_cascades, renamed
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow

_MAKES_POSSIBLE = {"USE_WHILE_CLOSED": "Open", "HEAT_WHILE_OFF": "Turn on"}
Saying = Callable[[Case, Finding, str, str], str | None]


@repair("CASCADE_MISSING")
def carry_cascades(case: Case, finding: Finding) -> Rewrite | None:
    """Carry what a mistake replaced or moved through the later steps."""
    if finding.event_id is None or case.known_rows != case.rows:
        return None
    return apply_cascades(case.take.scene, case.rewrite, finding.event_id)


def _says_otherwise(*codes: str) -> Callable[[Saying], Repair]:
    """Make a repair of a function that gives a row, for a thing and its text, another text."""

    def made(say: Saying) -> Repair:
        def propose(case: Case, finding: Finding) -> Rewrite | None:
            position, row = case.row_of(finding)
            thing = finding.entity
            if row.text is None or thing is None:
                return None
            text = say(case, finding, thing, row.text)
            return None if text is None else _with_consequence(case, position, thing, text)

        return Repair(say.__name__, frozenset(codes), propose)

    return made


@_says_otherwise("PRODUCT_NOT_MADE")
def drop_preparation(case: Case, finding: Finding, prepared: str, text: str) -> str | None:
    """Leave out that a thing is cut, washed or otherwise prepared where nobody prepared it."""
    start = text.lower().find(prepared)
    _, _, thing = prepared.partition(" ")
    return None if start < 0 else text[:start] + thing + text[start + len(prepared) :]


@_says_otherwise("USE_BEFORE_INTRO", "PORTABLE_NOT_HELD")
def get_before_use(case: Case, finding: Finding, thing: str, text: str) -> str:
    """Let the person get what is needed in the step that needs it."""
    return _done_first("Get", thing, text)


@_says_otherwise(*_MAKES_POSSIBLE)
def make_possible(case: Case, finding: Finding, thing: str, text: str) -> str:
    """Let the person open, or switch on, what the step needs open or on."""
    return _done_first(_MAKES_POSSIBLE[finding.code], thing, text)


def _done_first(action: str, thing: str, text: str) -> str:
    """The step that does something to its thing first: "Get the jar and open it"."""
    return in_style_of(f"{action} {definite(as_words(thing))} and {lower_first(text)}", text)


@_says_otherwise("LOCATION_MISMATCH", "LOCATION_MISMATCH_ON_GET")
def name_where_it_is(case: Case, finding: Finding, thing: str, text: str) -> str | None:
    """Name the place at which a thing is, where a step names the one that was meant."""
    options = case.contradictions.get(finding.code, ())
    found = next((item for item in options if item.position == finding.position), None)
    if found is None or found.known_place is None or found.stated_place is None:
        return None
    return renamed(text, found.stated_place, found.known_place, case.take.scene.domain)


@_says_otherwise("DUP_GET_NO_PUT", "USE_AFTER_DISPOSE")
def say_another(case: Case, finding: Finding, thing: str, text: str) -> str | None:
    """Say "another" where a second thing of one name is got."""
    spans = spans_of(text, thing)
    if not spans:
        return None
    span = with_determiner(text, spans[0])
    return f"{text[: span.start]}another {singular(as_words(thing))}{text[span.end :]}"


def _with_consequence(case: Case, position: int, thing: str, text: str) -> Rewrite | None:
    """The rewrite with another text of a row: an unchanged one now follows from a mistake.

    From the last one before it whose steps name the thing, else from the last one before it. None
    where the row has to stay as it is, or where no mistake is there for it to follow from.
    """
    row = case.rows[position]
    if row.mod in {Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION}:
        return case.rewrite.with_row(position, replace(row, text=text))
    mistaken = [
        earlier
        for earlier in reversed(case.rows[:position])
        if earlier.event_id in case.take.errors and earlier.mod not in {Mod.CASCADE, Mod.CORRECTION}
    ]
    if row.mod is not Mod.UNCHANGED or not mistaken:
        return None
    # What is called prepared is a thing all the same: the onion of "chopped onion".
    thing = thing.partition(" ")[2] or thing
    naming = (
        earlier
        for earlier in mistaken
        if any(names(said or "", thing) for said in (case.original_of(earlier), earlier.text))
    )
    cause = next(naming, mistaken[0])
    follows = RewriteRow(Mod.CASCADE, text, row.old_index, event_id=cause.event_id)
    return case.rewrite.with_row(position, follows)
