"""Compute worked cases with the functions of this installation and name what differs."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.analytics.cases.worked_cases import family, family_names, mismatches


class Command(BaseCommand):
    help = "Check this installation's figures: check_measures agreement FILE (no database needed)."
    # Only files are read, and nothing of the site need be in order.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("family", choices=family_names(), help="what the cases are about")
        parser.add_argument("file", type=Path, help="JSON: {cases: [{id, kind, input, expected}]}")

    def handle(self, *args: object, **options: Any) -> None:
        checked = family(options["family"])
        cases = _read_cases(options["file"], kinds={*checked.kinds, *checked.not_yet})
        right = 0
        for case in cases:
            if case["kind"] in checked.not_yet:
                self.stdout.write(f"{case['id']}: no figure for a {case['kind']} yet")
                continue
            try:
                differences = mismatches(checked, case)
            except KeyError as error:
                raise CommandError(
                    f"{options['file']}, case {case['id']}: the input of a {case['kind']} "
                    f"needs {error}"
                ) from error
            except (TypeError, ValueError) as error:
                raise CommandError(f"{options['file']}, case {case['id']}: {error}") from error
            right += not differences
            for mismatch in differences:
                self.stdout.write(str(mismatch))
        self.stdout.write(f"{right} of {len(cases)}")
        if right < len(cases):
            raise CommandError("Not every figure came out as expected.", returncode=1)


def _read_cases(path: Path, *, kinds: set[str]) -> list[Mapping[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        cases = content["cases"]
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f'{path} is not JSON of the form {{"cases": [...]}}') from error
    if not isinstance(cases, list):
        raise CommandError(f"{path}: cases is no list")
    for place, case in enumerate(cases, start=1):
        lacking = {"id", "kind", "input", "expected"} - set(case)
        if lacking:
            raise CommandError(f"{path}, case {place}: without {', '.join(sorted(lacking))}")
        if case["kind"] not in kinds:
            raise CommandError(
                f"{path}, case {case['id']}: kind {case['kind']!r}; expected one of "
                + ", ".join(sorted(kinds))
            )
    # A tolerance of the file is that of each case without its own.
    common = {"tolerance": content["tolerance"]} if "tolerance" in content else {}
    return [{**common, **case} for case in cases]
