"""The bounded repair loop: rules first, then the model, then the model with frames.

After every change all findings are computed anew, so that no repair works on positions of a text
that is no longer there (the published loop did). The best attempt so far
is kept by (hard, soft, words changed), and none that loses a planned event is ever adopted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rapidfuzz.distance import Indel

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import WRITTEN_MODS, Case, TakeInQuestion
from generation.engine.judging.check import find_all
from generation.engine.judging.findings import (
    Finding,
    FindingCounts,
    FindingSeverity,
    count_findings,
)
from generation.engine.judging.model import (
    FrameSource,
    NoAnswerError,
    Repairer,
    RepairRequest,
    StepFrame,
)
from generation.engine.judging.reading import read_rewrite
from generation.engine.judging.repair.repair import repairs_of
from generation.engine.judging.report import AttemptKind, AttemptOutcome, RepairAttempt
from generation.engine.planner.error_kind import facts_of
from generation.engine.rewriting.rewrite import Rewrite

# Every attempt of the rules checks the whole take once.
MAX_RULE_ATTEMPTS = 80
# The published judge makes three attempts, with at most two pictures from the second on.
MAX_MODEL_ATTEMPTS = 2
MAX_FRAME_ATTEMPTS = 1
MAX_FRAMES = 2


@dataclass(frozen=True, slots=True)
class Version:
    """A rewrite with its findings and how many words it is away from what was handed in."""

    case: Case
    findings: tuple[Finding, ...]
    changed_words: int

    @property
    def counts(self) -> FindingCounts:
        return count_findings(self.findings)

    @property
    def rank(self) -> tuple[int, int, int]:
        """The lower, the better."""
        return self.counts.hard, self.counts.soft, self.changed_words


@dataclass(slots=True)
class RepairLoop:
    """One take being repaired; `start` is what was handed in."""

    take: TakeInQuestion
    start: Rewrite
    attempts: list[RepairAttempt] = field(default_factory=list)

    def version_of(self, rewrite: Rewrite) -> Version:
        case = Case(self.take, rewrite)
        return Version(case, find_all(case), changed_words(self.start, rewrite))

    def by_rules(self, version: Version) -> Version:
        """The version after every deterministic repair that helps."""
        tried, proposals = 0, _proposals(version)
        while tried < MAX_RULE_ATTEMPTS and (proposal := next(proposals, None)) is not None:
            name, detail, rewrite = proposal
            tried += 1
            candidate = self.version_of(rewrite)
            outcome = _outcome(version, candidate, counts_words=False)
            self._record(AttemptKind.RULE, name, outcome, version.counts, candidate.counts, detail)
            if outcome is AttemptOutcome.ADOPTED:
                version, proposals = candidate, _proposals(candidate)
        return version

    def by_model(self, best: Version, ask: Repairer, frames: FrameSource | None) -> Version:
        """The best of the versions that the model's candidates lead to."""
        for number in range(1, MAX_MODEL_ATTEMPTS + MAX_FRAME_ATTEMPTS + 1):
            if best.counts.is_clean:
                break
            shown: tuple[StepFrame, ...] = ()
            if number > MAX_MODEL_ATTEMPTS:
                shown = frames(steps_to_show(best, MAX_FRAMES)) if frames else ()
                if not shown:
                    break
            best = self._ask_once(best, ask, number, shown)
        return best

    def _ask_once(
        self, best: Version, ask: Repairer, number: int, frames: tuple[StepFrame, ...]
    ) -> Version:
        kind = AttemptKind.MODEL_WITH_FRAMES if frames else AttemptKind.MODEL
        request = RepairRequest(
            procedure=self.take.procedure,
            plan=self.take.plan,
            rewrite=best.case.rewrite,
            findings=best.findings,
            attempt=number,
            frames=frames,
        )
        try:
            answer = ask(request)
        except NoAnswerError as reason:
            name, outcome = reason.prompt_version, AttemptOutcome.NO_ANSWER
            self._record(kind, name, outcome, best.counts, None, str(reason))
            return best
        reading = read_rewrite(answer.document)
        unread = "" if reading.finding is None else f"; read in part: {reading.finding.detail}"
        if not reading.rewrite.rows:
            name, outcome = answer.prompt_version, AttemptOutcome.UNREADABLE
            self._record(kind, name, outcome, best.counts, None, unread.lstrip("; "))
            return best
        candidate = self.by_rules(self.version_of(reading.rewrite))
        outcome = _outcome(best, candidate, counts_words=True)
        told = _WHY[outcome] + unread
        self._record(kind, answer.prompt_version, outcome, best.counts, candidate.counts, told)
        return candidate if outcome is AttemptOutcome.ADOPTED else best

    def _record(
        self,
        kind: AttemptKind,
        name: str,
        outcome: AttemptOutcome,
        before: FindingCounts,
        after: FindingCounts | None,
        detail: str,
    ) -> None:
        number = len(self.attempts) + 1
        self.attempts.append(RepairAttempt(number, kind, name, outcome, before, after, detail))


def _proposals(version: Version) -> Iterator[tuple[str, str, Rewrite]]:
    """Yield what the rules propose: the name of the repair, its finding, and another rewrite."""
    known = set(version.case.rows)
    # Form before sense: what is wrong with the rows makes many a contradiction.
    for finding in sorted(version.findings, key=lambda item: item.severity is FindingSeverity.SOFT):
        for repair in repairs_of(finding.code):
            proposed = repair.propose(version.case, finding)
            if proposed is None or proposed == version.case.rewrite:
                continue
            # Every written row that it made or changed bears the name of the repair.
            signed = (
                replace(row, repair_reason=repair.name)
                if row.mod in WRITTEN_MODS and row not in known
                else row
                for row in proposed.rows
            )
            detail = f"{finding.code} at {finding.position}: {finding.detail}"
            yield repair.name, detail, Rewrite(tuple(signed))


def _outcome(version: Version, candidate: Version, *, counts_words: bool) -> AttemptOutcome:
    if loses_planned_event(version.case, candidate.case):
        return AttemptOutcome.LOSES_PLANNED_EVENT
    measured = 3 if counts_words else 2
    is_better = candidate.rank[:measured] < version.rank[:measured]
    return AttemptOutcome.ADOPTED if is_better else AttemptOutcome.NOT_BETTER


_WHY = {
    AttemptOutcome.ADOPTED: "fewer findings, or as many with fewer words",
    AttemptOutcome.LOSES_PLANNED_EVENT: "the candidate lacks an event that the rewrite had",
    AttemptOutcome.NOT_BETTER: "no fewer findings than before",
}


def changed_words(start: Rewrite, rewrite: Rewrite) -> int:
    """How many words were taken out or put in between two rewrites."""
    before, after = (" \n ".join(r.final_steps).split(" ") for r in (start, rewrite))
    return Indel.distance(before, after)


def loses_planned_event(before: Case, after: Case) -> bool:
    """Whether an event that the first rewrite realises is gone from the second.

    Of a text that is its own plan no row of an event may go either.
    """
    if before.take.is_claimed and event_rows(before) - event_rows(after):
        return True
    return not realised_events(before) <= realised_events(after)


def event_rows(case: Case) -> Counter[str]:
    """How many rows each mistake and correction has, by its id."""
    by_id = {**case.positions_by_event, **case.positions_by_correction}
    return Counter({name: len(rows) for name, rows in by_id.items()})


def realised_events(case: Case) -> frozenset[str]:
    """The planned mistakes and corrections that have all their rows."""
    mistakes = {
        error.event_id
        for error in case.plan.errors
        if facts_of(error).row_mods <= case.mods_of(error.event_id)
    }
    corrections = set(case.take.corrections) & set(case.positions_by_correction)
    return frozenset(mistakes | corrections)


def steps_to_show(version: Version, limit: int) -> tuple[int, ...]:
    """The original steps whose frames help most: mistakes first, then other findings."""
    rows = version.case.rows
    mistakes = [row.old_index for row in rows if row.mod is Mod.ERROR]
    concerned = [
        rows[finding.position].old_index
        for finding in version.findings
        if finding.position is not None
    ]
    steps = dict.fromkeys(index for index in (*mistakes, *concerned) if index is not None)
    return tuple(steps)[:limit]
