"""The arguments of commands about rounds of segments, and the rounds that they name."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from annotation.models import Campaign, Round
from segments.models import SEGMENTS


def add_round_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--campaign", required=True, help="name of the campaign of segments")
    parser.add_argument("--round", type=int, help="only the round of this number")


def opened_rounds(options: Mapping[str, Any]) -> list[Round]:
    """The opened rounds of a campaign in their order; raises `CommandError` where there is none."""
    name, number = options["campaign"], options["round"]
    campaign = Campaign.objects.filter(name=name).first()
    if campaign is None:
        raise CommandError(f"There is no campaign {name!r}.")
    rounds = Round.objects.filter(campaign=campaign, kind=SEGMENTS, segments__isnull=False)
    if number is not None:
        rounds = rounds.filter(number=number)
    related = rounds.select_related("campaign", "segments__source_round__segments", "guideline")
    opened = list(related.filter(opened_at__isnull=False).order_by("number"))
    if not opened:
        which = "no round" if number is None else f"no round {number}"
        raise CommandError(f"{name} has {which} of segments that was opened.")
    return opened
