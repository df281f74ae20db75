"""The bounded repair loop: rules first, then the model, then the model with frames.

After every change all findings are computed anew, so that no repair works on positions of a text
that is no longer there (the published loop did). The best attempt so far
is kept by (hard, soft, words changed), and none that loses a planned event is ever adopted.
"""

from collections import Counter
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
from generation.engine.judging.repair.repair import Repair, repairs_of
from generation.engine.judging.report import Attempt, AttemptKind, AttemptOutcome
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


@dataclass(frozen=True, slots=True)
class Proposal:
    """Who proposes a change (a rule, or a version of the prompt), and of how many findings."""

    kind: AttemptKind
    name: str
    before: FindingCounts


@dataclass(slots=True)
class RepairLoop:
    """One take being repaired; `start` is what was handed in."""

    take: TakeInQuestion
    start: Rewrite
    attempts: list[Attempt] = field(default_factory=list)

    def version_of(self, rewrite: Rewrite) -> Version:
        case = Case(self.take, rewrite)
        return Version(case, find_all(case), changed_words(self.start, rewrite))

    def by_rules(self, version: Version) -> Version:
        """The version after every deterministic repair that helps."""
        budget = MAX_RULE_ATTEMPTS
        while budget > 0:
            better, used = self._first_that_helps(version, budget)
            budget -= used
            if better is None:
                break
            version = better
        return version

    def _first_that_helps(self, version: Version, budget: int) -> tuple[Version | None, int]:
        used = 0
        # Form before sense: what is wrong with the rows makes many a contradiction.
        for finding in sorted(
            version.findings, key=lambda item: item.severity is FindingSeverity.SOFT
        ):
            for repair in repairs_of(finding.code):
                if used >= budget:
                    return None, used
                proposed = repair.propose(version.case, finding)
                if proposed is None or proposed == version.case.rewrite:
                    continue
                used += 1
                # Every written row that it made or changed bears the name of the repair.
                known = set(version.case.rows)
                signed = (
                    replace(row, repair_reason=repair.name)
                    if row.mod in WRITTEN_MODS and row not in known
                    else row
                    for row in proposed.rows
                )
                candidate = self.version_of(Rewrite(tuple(signed)))
                if self._weigh(version, candidate, finding, repair):
                    return candidate, used
        return None, used

    def _weigh(
        self, version: Version, candidate: Version, finding: Finding, repair: Repair
    ) -> bool:
        """Record a proposed repair; return whether it is adopted."""
        outcome = AttemptOutcome.ADOPTED
        if loses_planned_event(version.case, candidate.case):
            outcome = AttemptOutcome.LOSES_PLANNED_EVENT
        elif candidate.rank[:2] >= version.rank[:2]:
            outcome = AttemptOutcome.NOT_BETTER
        detail = f"{finding.code} at {finding.position}: {finding.detail}"
        proposal = Proposal(AttemptKind.RULE, repair.name, version.counts)
        self._record(proposal, outcome, detail, candidate.counts)
        return outcome is AttemptOutcome.ADOPTED

    def by_model(self, best: Version, ask: Repairer, frames: FrameSource | None) -> Version:
        """The best of the versions that the model's candidates lead to."""
        for number in range(1, MAX_MODEL_ATTEMPTS + 1):
            if best.counts.is_clean:
                return best
            best = self._ask_once(best, ask, number, ())
        for number in range(1, MAX_FRAME_ATTEMPTS + 1):
            if best.counts.is_clean or frames is None:
                return best
            shown = frames(steps_to_show(best, MAX_FRAMES))
            if not shown:
                return best
            best = self._ask_once(best, ask, MAX_MODEL_ATTEMPTS + number, shown)
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
            proposal = Proposal(kind, reason.prompt_version, best.counts)
            self._record(proposal, AttemptOutcome.NO_ANSWER, str(reason))
            return best
        proposal = Proposal(kind, answer.prompt_version, best.counts)
        reading = read_rewrite(answer.document)
        unread = "" if reading.finding is None else f"; read in part: {reading.finding.detail}"
        if not reading.rewrite.rows:
            self._record(proposal, AttemptOutcome.UNREADABLE, unread.lstrip("; "))
            return best
        candidate = self.by_rules(self.version_of(reading.rewrite))
        outcome, detail = AttemptOutcome.ADOPTED, "fewer findings, or as many with fewer words"
        if loses_planned_event(best.case, candidate.case):
            outcome = AttemptOutcome.LOSES_PLANNED_EVENT
            detail = "the candidate lacks an event that the rewrite had"
        elif candidate.rank >= best.rank:
            outcome = AttemptOutcome.NOT_BETTER
            detail = "no fewer findings than before"
        self._record(proposal, outcome, detail + unread, candidate.counts)
        return candidate if outcome is AttemptOutcome.ADOPTED else best

    def _record(
        self,
        proposal: Proposal,
        outcome: AttemptOutcome,
        detail: str,
        after: FindingCounts | None = None,
    ) -> None:
        self.attempts.append(
            Attempt(
                number=len(self.attempts) + 1,
                kind=proposal.kind,
                name=proposal.name,
                outcome=outcome,
                before=proposal.before,
                after=after,
                detail=detail,
            )
        )


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
        if facts_of(error).row_mods
        <= {case.rows[p].mod for p in case.positions_by_event.get(error.event_id, ())}
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
