"""What can be seen when a step is complete, and what while it is not: the cues of a plan.

Source: Plan, Watch, Recover, section 2.3 and appendix H.3. No cue prompt is printed there.
"""

from dataclasses import dataclass

# At least so many of each are kept.
LEAST_CUES = 2


@dataclass(frozen=True, slots=True)
class Cues:
    """Short statements of what can be seen; those of one list never hold with the other's."""

    complete: tuple[str, ...]
    incomplete: tuple[str, ...]


def template_cues(step: str) -> Cues:
    """Cues of a step without a model, by rule.

    >>> template_cues("Add tea.").complete
    ('the result of “Add tea” is in sight', 'the hands have left what “Add tea” needs')
    """
    words = step.strip().rstrip(".")
    return Cues(
        (f"the result of “{words}” is in sight", f"the hands have left what “{words}” needs"),
        (f"nothing shows the result of “{words}” yet", f"the hands are busy with “{words}”"),
    )
