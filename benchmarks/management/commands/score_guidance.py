"""Figures of a file of answers in the form of the EgoProactive challenge."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandError

from annotation.engine.corpus.formats.errors import FormatError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from benchmarks.engine.guiding.decisions import literal_reading
from benchmarks.engine.guiding.pairing import (
    AS_SILENT,
    REFUSE,
    AnswerRow,
    RowCountError,
    official_scores,
    pair_predictions,
    read_answers,
)
from benchmarks.engine.measures.guiding import decision_scores

OFFICIAL, STRICT = "official", "strict"


class Command(CommandWithoutPages):
    help = "Score answers of an assistant: JSON lines of video_path and answers (no database)."
    # Only files are read, and nothing of the site need be in order.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("golden", type=Path, help="the right answers")
        parser.add_argument("predictions", type=Path, help="the answers to score")
        parser.add_argument(
            "--missing",
            choices=(REFUSE, AS_SILENT),
            default=REFUSE,
            help="what to do with answers that are not there",
        )
        parser.add_argument(
            "--rule",
            choices=(STRICT, OFFICIAL),
            default=STRICT,
            help="strict joins by recording; official as the challenge's scorer, by the line",
        )

    def handle(self, *args: object, **options: Any) -> None:
        try:
            with shown_while("Scoring the answers", self.stderr):
                figures = _figures(options)
        except (FormatError, RowCountError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(figures, indent=1))


def _figures(options: dict[str, Any]) -> dict[str, Any]:
    golden, predictions = (read_answers(options[name]) for name in ("golden", "predictions"))
    if options["rule"] == OFFICIAL:
        return {"rule": OFFICIAL, **official_scores(golden, predictions)}
    return {"rule": STRICT, **_strict(golden, predictions, options["missing"])}


def _strict(
    golden: tuple[AnswerRow, ...], predictions: tuple[AnswerRow, ...], missing: str
) -> dict[str, Any]:
    found = pair_predictions(golden, predictions, missing)
    if found.pairs is None:
        raise CommandError("\n".join(map(str, found.faults)))
    counts = np.zeros(4)
    for right, said in found.pairs:
        counts[2 * (said == "silent") + (right == "silent")] += 1
    malformed = sum(
        literal_reading(text).is_malformed for row in predictions for text in row.answers
    )
    return {
        **decision_scores(counts),
        "missing_count": found.missing_count,
        "malformed_count": malformed,
    }
