"""What a step needs prepared was prepared.

Example: the onion was cut instead of the tomato, and later 'Add the cut tomato' follows.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import as_words
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.products import preparations, prepared_things


def find(case: Case) -> Iterator[Fault]:
    own = _unprepared(case.take.texts) | _unprepared(case.take.planned_texts)
    done: set[tuple[str, str]] = set()
    for position, row in enumerate(case.rows):
        if row.text is None:
            continue
        # A correction does one thing after the other: "start over: chop it, then add the onion".
        is_several = row.mod is Mod.CORRECTION
        for part in filter(None, _JOINTS.split(row.text)) if is_several else (row.text,):
            for verb, thing, head in prepared_things(part):
                is_made_once = (verb, thing) in case.take.prepared
                if is_made_once and (verb, thing) not in done and (verb, thing) not in own:
                    detail = f"{as_words(head)} is called {verb}, and no step before did that"
                    yield Fault(position, detail, row.event_id, entity=head)
            done |= preparations(part)


# What a correction says before an action of it, or between two.
_JOINTS = re.compile(
    r"(?:, |^| )(?:stop and |go back and start over: |go back and |go back, |start over: )"
    r"|: (?:first )?|, then | first, before ",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def _unprepared(texts: tuple[str | None, ...]) -> set[tuple[str, str]]:
    """What these steps call prepared before one of them prepares it."""
    done: set[tuple[str, str]] = set()
    missing: set[tuple[str, str]] = set()
    for text in texts:
        if text is None:
            continue
        missing |= {(verb, thing) for verb, thing, _ in prepared_things(text)} - done
        done |= preparations(text)
    return missing


CHECK = Check(
    code="PRODUCT_NOT_MADE",
    severity=FindingSeverity.SOFT,
    condition="A step calls a thing cut, washed or otherwise prepared that no step prepared.",
    find=find,
)
