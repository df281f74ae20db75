"""What one change of a rating does: to its own value, and through the skip rules to others.

A *typed* value is one that the rater gave; an *implied* one was put there by a skip rule on account
of a typed one. Four rules hold, and every reader of the log can replay them:

1. When a metric takes the value of a skip rule, the values that the rule implies replace whatever
   was there, typed values included. Given again, the value fills in those that are empty.
2. When it loses that value, each metric that is still implied gets back what was last typed.
3. A value typed over an implied one is typed and stays, even when it is a clearing.
4. Every value that changes gets the next revision and one row of the log.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.engine.rubric.rubric import Metric, Rubric, Scope, applicable_metrics

CLEARED = ""
# No two clocks agree; an answer that is later than this was not given when it says.
CLOCK_SLACK = timedelta(minutes=5)


def is_in_future(rated_at: datetime, *, now: datetime) -> bool:
    """Whether an answer is dated after `now`, by more than clocks differ."""
    # Not `now + CLOCK_SLACK`: the last moments of the calendar have no later one.
    return rated_at - now > CLOCK_SLACK


@dataclass(frozen=True, slots=True)
class RatingKey:
    """What is rated: `metric` of the event at `event_index`, None for the whole trace."""

    event_index: int | None
    metric: Metric


@dataclass(frozen=True, slots=True)
class Answer:
    """A value with its confidence; the value is empty where there is no answer.

    `cannot_judge` is the rater's reason for giving none, empty where none was given.
    """

    value: str = CLEARED
    confidence: int | None = None
    cannot_judge: str = ""


@dataclass(frozen=True, slots=True)
class RatingState:
    """The current answer of one key, who made it, and how often it has changed (`revision`).

    `rated_at` is None where an imported table did not tell it.
    """

    answer: Answer
    is_implied: bool
    revision: int
    client_id: str
    rated_at: datetime | None


@dataclass(frozen=True, slots=True)
class RatingChange:
    """One change as a browser tab sends it.

    `sequence` counts the changes of the tab; `base_revision` is the revision that the rater saw
    when making the change, 0 when there was none.
    """

    sequence: int
    key: RatingKey
    answer: Answer
    base_revision: int
    rated_at: datetime


TypedAnswer = Callable[[RatingKey], Answer]


def is_conflict(change: RatingChange, *, client_id: str, current: RatingState | None) -> bool:
    """Whether another tab has since given the key another answer.

    A tab never conflicts with itself: it may send changes before it has heard of their revisions.
    """
    if current is None or current.client_id == client_id:
        return False
    return change.base_revision < current.revision and change.answer != current.answer


def apply_change(
    change: RatingChange,
    *,
    client_id: str,
    states: Mapping[RatingKey, RatingState],
    last_typed: TypedAnswer,
    rubric_: Rubric,
) -> dict[RatingKey, RatingState]:
    """The new state of every key that the change alters, its own first.

    `last_typed` returns what the rater last typed for a key, and is asked only when an implied
    value goes away. The change must have been validated and must not conflict.
    """
    before = states.get(change.key)
    value_before = before.answer.value if before else CLEARED

    def next_state(key: RatingKey, answer: Answer, *, is_implied: bool) -> RatingState:
        held = states.get(key)
        return RatingState(
            answer=answer,
            is_implied=is_implied,
            revision=held.revision + 1 if held else 1,
            client_id=client_id,
            rated_at=change.rated_at,
        )

    altered = {change.key: next_state(change.key, change.answer, is_implied=False)}
    gone = _implied_by(change.key, value_before, rubric_)
    come = _implied_by(change.key, change.answer.value, rubric_)
    for key in gone:
        held = states.get(key)
        if key not in come and held is not None and held.is_implied:
            altered[key] = next_state(key, last_typed(key), is_implied=False)
    for key, value in come.items():
        held = states.get(key)
        if key not in gone or held is None or held.answer == Answer():
            altered[key] = next_state(key, Answer(value), is_implied=True)
    return altered


def _implied_by(key: RatingKey, value: str, rubric_: Rubric) -> dict[RatingKey, str]:
    return {
        RatingKey(key.event_index, metric): implied
        for rule in rubric_.skip_rules
        if rule.metric is key.metric and rule.value == value
        for metric, implied in rule.implies.items()
    }


def is_answered(key: RatingKey, answer: Answer, *, rubric_: Rubric) -> bool:
    """Whether `answer` is complete: a value, and a confidence where one is asked for.

    That it cannot be judged, with a reason, is complete too.
    """
    if answer.value == CLEARED:
        return bool(answer.cannot_judge)
    return answer.confidence is not None or not rubric_.definition(key.metric).has_confidence


def required_keys(
    event_indices: Iterable[int], *, has_video: bool, rubric_: Rubric
) -> tuple[RatingKey, ...]:
    """What has to be answered before submitting: event by event, then the trace."""
    of_event = applicable_metrics(Scope.EVENT, has_video, rubric_=rubric_)
    of_trace = applicable_metrics(Scope.TRACE, has_video, rubric_=rubric_)
    return (
        *(RatingKey(index, metric) for index in event_indices for metric in of_event),
        *(RatingKey(None, metric) for metric in of_trace),
    )
