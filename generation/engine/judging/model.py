"""The interface to a text model that repairs: what it is shown, and how it may fail.

The implementations are outside the engine. One without an answer raises `NoAnswerError`; any other
exception is a bug and is not caught.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from generation.engine.judging.findings import Finding
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.rewrite import Rewrite


class NoAnswerError(Exception):
    """The model gave no readable answer; the message says why, for the report."""

    def __init__(self, reason: str, *, prompt_version: str = "") -> None:
        super().__init__(reason)
        self.prompt_version = prompt_version


@dataclass(frozen=True, slots=True)
class StepFrame:
    """A picture of an original step: JPEG bytes of the frame at `time_s` of the recording."""

    step_index: int
    time_s: float
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """Everything a prompt may show: the plan, the rewrite so far, and its findings.

    `attempt` counts from 1. `frames` is empty for a request about text alone.
    """

    plan: Plan
    rewrite: Rewrite
    findings: tuple[Finding, ...]
    attempt: int
    frames: tuple[StepFrame, ...] = ()


@dataclass(frozen=True, slots=True)
class RepairAnswer:
    """A candidate in the published form of a rewrite, and the version of its prompt."""

    document: Mapping[str, Any]
    prompt_version: str


# Asks a text model to repair a rewrite; raises NoAnswerError if it has no candidate.
Repairer = Callable[[RepairRequest], RepairAnswer]
# Fetches pictures of original steps, at most one each; steps without a picture are left out.
FrameSource = Callable[[tuple[int, ...]], tuple[StepFrame, ...]]
