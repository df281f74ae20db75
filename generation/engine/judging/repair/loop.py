"""The bounded repair loop: rules first, then the model, then the model with frames.

After every change all findings are computed again, so that no repair works on positions of an older
text (as the published loop did). The best attempt so far is the one with the lowest (hard, soft,
words changed); an attempt that loses a planned event is never adopted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rapidfuzz.distance import Indel

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import WRITTEN_MODS, Case, JudgedTake
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

# A limit on time: every attempt of the rules checks the whole take once.
MAX_RULE_ATTEMPTS = 80
# The published judge makes three attempts, with at most two pictures from the second on.
MAX_MODEL_ATTEMPTS = 2
MAX_FRAME_ATTEMPTS = 1
MAX_FRAMES = 2


_WHY = {
    AttemptOutcome.ADOPTED: "fewer findings, or as many with fewer words",
    AttemptOutcome.LOSES_PLANNED_EVENT: "the candidate lacks an event that the rewrite had",
    AttemptOutcome.NOT_BETTER: "no fewer findings than before",
}


@dataclass(frozen=True, slots=True)
class Version:
    """A rewrite with its findings, and by how many words it differs from the submitted one."""

    case: Case
    findings: tuple[Finding, ...]
    counts: FindingCounts
    changed_words: int


@dataclass(slots=True)
class RepairLoop:
    """The repair of one take; `start` is the submitted rewrite."""

    take: JudgedTake
    start: Rewrite
    attempts: list[RepairAttempt] = field(default_factory=list)

    def version_of(self, rewrite: Rewrite) -> Version:
        case = Case(self.take, rewrite)
        findings = find_all(case)
        # The distance counts words removed and added.
        before, after = (" \n ".join(it.final_steps).split(" ") for it in (self.start, rewrite))
        return Version(case, findings, count_findings(findings), Indel.distance(before, after))

    def by_rules(self, version: Version) -> Version:
        """The version after every deterministic repair that helps."""
        tried, proposals = 0, _proposals(version)
        while tried < MAX_RULE_ATTEMPTS and (proposal := next(proposals, None)) is not None:
            name, detail, rewrite = proposal
            tried += 1
            candidate = self.version_of(rewrite)
            outcome = _outcome(version, candidate, is_better=candidate.counts < version.counts)
            self._record(AttemptKind.RULE, name, outcome, detail, version, candidate)
            if outcome is AttemptOutcome.ADOPTED:
                version, proposals = candidate, _proposals(candidate)
        return version

    def by_another_version(self, best: Version, rewrite: Rewrite) -> Version:
        """The better one of the best version so far and another text for the same plan."""
        candidate = self.by_rules(self.version_of(rewrite))
        outcome = _outcome(best, candidate, is_better=candidate.counts < best.counts)
        self._record(AttemptKind.RULE, "write_again", outcome, _WHY[outcome], best, candidate)
        return candidate if outcome is AttemptOutcome.ADOPTED else best

    def by_model(self, best: Version, ask: Repairer, frames: FrameSource | None) -> Version:
        """The best version among the model's candidates after repairs by rules."""
        for number in range(1, MAX_MODEL_ATTEMPTS + MAX_FRAME_ATTEMPTS + 1):
            if best.counts.is_clean:
                break
            shown: tuple[StepFrame, ...] = ()
            if number > MAX_MODEL_ATTEMPTS:
                shown = frames(_steps_to_show(best)) if frames else ()
                if not shown:
                    break
            request = RepairRequest(
                plan=self.take.plan,
                rewrite=best.case.rewrite,
                findings=best.findings,
                attempt=number,
                frames=shown,
            )
            best = self._ask_once(best, ask, request)
        return best

    def _ask_once(self, best: Version, ask: Repairer, request: RepairRequest) -> Version:
        kind = AttemptKind.MODEL_WITH_FRAMES if request.frames else AttemptKind.MODEL
        try:
            answer = ask(request)
        except NoAnswerError as reason:
            name, outcome = reason.prompt_version, AttemptOutcome.NO_ANSWER
            self._record(kind, name, outcome, str(reason), best, None)
            return best
        name, reading = answer.prompt_version, read_rewrite(answer.document)
        unread = "" if reading.finding is None else f"; read in part: {reading.finding.detail}"
        if not reading.rewrite.rows:
            outcome, detail = AttemptOutcome.UNREADABLE, unread.lstrip("; ")
            self._record(kind, name, outcome, detail, best, None)
            return best
        candidate = self.by_rules(self.version_of(reading.rewrite))
        ranks = [(*version.counts, version.changed_words) for version in (candidate, best)]
        outcome = _outcome(best, candidate, is_better=ranks[0] < ranks[1])
        self._record(kind, name, outcome, _WHY[outcome] + unread, best, candidate)
        return candidate if outcome is AttemptOutcome.ADOPTED else best

    def _record(
        self,
        kind: AttemptKind,
        name: str,
        outcome: AttemptOutcome,
        detail: str,
        before: Version,
        after: Version | None,
    ) -> None:
        number, left = len(self.attempts) + 1, None if after is None else after.counts
        attempt = RepairAttempt(number, kind, name, outcome, before.counts, left, detail)
        self.attempts.append(attempt)


def _proposals(version: Version) -> Iterator[tuple[str, str, Rewrite]]:
    """Yield the rules' proposals: the name of the repair, its finding, and another rewrite."""
    earlier_rows = set(version.case.rows)
    # Hard findings first: wrong rows cause many of the contradictions.
    for finding in sorted(version.findings, key=lambda item: item.severity is FindingSeverity.SOFT):
        for repair in repairs_of(finding.code):
            proposed = repair.propose(version.case, finding)
            if proposed is None or proposed == version.case.rewrite:
                continue
            # Every written row that it added or changed carries the name of the repair.
            signed = (
                replace(row, repair_reason=repair.name)
                if row.mod in WRITTEN_MODS and row not in earlier_rows
                else row
                for row in proposed.rows
            )
            detail = f"{finding.code} at {finding.position}: {finding.detail}"
            yield repair.name, detail, Rewrite(tuple(signed))


def _outcome(version: Version, candidate: Version, *, is_better: bool) -> AttemptOutcome:
    before, after = version.case, candidate.case
    # If the text is its own plan, dropping a row would drop it from the plan as well.
    loses_row = before.take.is_claimed and _event_rows(before) - _event_rows(after)
    if loses_row or not realised_events(before) <= realised_events(after):
        return AttemptOutcome.LOSES_PLANNED_EVENT
    return AttemptOutcome.ADOPTED if is_better else AttemptOutcome.NOT_BETTER


def _event_rows(case: Case) -> Counter[str]:
    """How many rows each mistake and correction has, by its id."""
    by_id = {**case.positions_by_event, **case.positions_by_correction}
    return Counter({name: len(positions) for name, positions in by_id.items()})


def realised_events(case: Case) -> set[str]:
    """The planned mistakes and corrections that have all their rows."""
    mistakes = {
        error.event_id
        for error in case.plan.errors
        if facts_of(error).row_mods <= case.mods_of(error.event_id)
    }
    return mistakes | case.take.corrections.keys() & case.positions_by_correction.keys()


def _steps_to_show(version: Version) -> tuple[int, ...]:
    """The original steps whose frames help most: those with mistakes, then those with findings."""
    rows = version.case.rows
    concerned = [rows[it.position] for it in version.findings if it.position is not None]
    shown = [*(row for row in rows if row.mod is Mod.ERROR), *concerned]
    steps = dict.fromkeys(row.old_index for row in shown if row.old_index is not None)
    return tuple(steps)[:MAX_FRAMES]
