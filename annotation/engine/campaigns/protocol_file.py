"""The protocol of an audit as a file: JSON for machines and its hash, Markdown for people."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.engine.corpus.step_words import what_raters_saw
from annotation.engine.counting import counted

FORMAT = "piev-protocol-1"


def protocol_json(protocol: Mapping[str, Any]) -> str:
    """The file: sorted keys, two spaces, a line feed at the end, so that its hash is its own."""
    return json.dumps(protocol, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def protocol_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def protocol_markdown(protocol: Mapping[str, Any], content_hash: str) -> str:
    """The same protocol to read; see `selectors.campaigns.protocol` for what it holds."""
    return "\n".join(_lines(protocol, content_hash)) + "\n"


def _lines(protocol: Mapping[str, Any], content_hash: str) -> Iterator[str]:
    yield f"# Protocol of “{_plain(protocol['campaign'])}”"
    yield ""
    yield f"Filed {protocol['moment']} on {protocol['filed_at']} with PIE-V {protocol['software']}."
    yield f"SHA-256 of the JSON file: `{content_hash}`"
    plan = protocol["analysis"]
    yield from ("", "## Analysis", "")
    yield f"- Metrics reported: {', '.join(plan['metrics']) or 'not stated'}"
    pairs = "; ".join(f"{first} and {second}" for first, second in plan["comparisons"])
    yield f"- Comparisons: {_plain(pairs) or 'none'}"
    yield f"- Agreement: {plan['agreement']}"
    # Protocols filed before had no such terms.
    if "least_coverage" in plan:
        raters = counted(plan["least_raters"], "rater")
        yield (
            f"- Compared are figures of at least {plan['least_coverage']}% of the planned answers"
            f" and {raters}"
        )
    if "step_words" in plan:
        yield f"- {what_raters_saw([plan['step_words']])}"
    for name in ("hypotheses", "exclusions"):
        yield from ("", f"### {name.capitalize()}", "", _plain(plan[name]) or "None stated.")
    for item in protocol["rounds"]:
        yield from ("", f"## Round {item['number']}: {item['phase']}", "")
        yield f"- Opened {item['opened_at'] or 'not yet'}, closed {item['closed_at'] or 'not yet'}"
        yield f"- {counted(item['overlap'], 'rater')} per trace (k) out of {len(item['raters'])},"
        yield f"  {counted(len(item['traces']), 'trace')}, seed {item['seed']}"
        yield f"- Rubric {item['rubric']}, guideline version {item['guideline']}"
        if "step_words" in item:
            yield f"- {what_raters_saw([item['step_words']])}"
        for name, checks in item["checks"].items():
            yield f"- {name}: {json.dumps(checks, sort_keys=True)}"
        if item["stop_rule"]:
            yield from ("", "### Stop rule and hypotheses", "", _plain(item["stop_rule"]))
    for version in protocol["guidelines"]:
        yield from _guideline_lines(version)
    yield from _reading_lines(protocol.get("readings", ()))
    yield from _look_lines(protocol.get("interim_looks"))
    consent = protocol["consent"]
    yield from ("", "## Consent", "")
    yield _plain(consent["text"]) if consent else "Raters were not asked to accept a text."


def _reading_lines(readings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if readings:
        yield from ("", "## Who confirmed reading which version", "")
    for item in readings:
        yield f"- {item['rater']}: version {item['guideline']}, {item['read_at']}"


def _look_lines(looks: Sequence[Mapping[str, Any]] | None) -> Iterator[str]:
    """Nothing of protocols that were filed before looks were stored."""
    if looks is None:
        return
    yield from ("", "## Looks at agreement while a main round was open", "")
    if not looks:
        yield "Nobody looked until then."
    for look in looks:
        figures = _plain("; ".join(look["alpha_of"]))
        yield f"- {look['who']}, round {look['round']}, {look['first_at']}: alpha of {figures}"


def _guideline_lines(version: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", f"## Guideline version {_plain(version['name'])}", "")
    yield f"- SHA-256 of text and examples: `{version['hash'] or 'text not recorded'}`"
    if version["changes"]:
        yield f"- What changed and why: {_plain(version['changes'])}"
    for metric, subjects in version["text"].items():
        if isinstance(subjects, Mapping):
            for subject, entry in subjects.items():
                yield from ("", f"### {metric}, of a {subject}", "")
                yield f"**{_plain(entry['question'])}** {_plain(entry['how_to_judge'])}"
                if entry["low"]:
                    yield f"(1 = {_plain(entry['low'])}, 5 = {_plain(entry['high'])})"


def _plain(text: str) -> str:
    """A text that people typed, with nothing in it that Markdown or HTML would take for markup."""
    for mark in "\\`*_#<>[]|":
        text = text.replace(mark, f"\\{mark}")
    return text.strip()
