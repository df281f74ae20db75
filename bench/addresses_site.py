"""The inside of `bench.addresses`: makes a world, or walks every address of one.

    python -m bench.addresses_site prepare TAKES RATINGS CAMPAIGNS RATERS | walk [PART OF A ROUTE]

Prints one JSON value. It runs in a process of its own, because settings are read from the
environment at the start.
"""

import gc
import json
import logging
import re
import sys
from pathlib import Path

import django

django.setup()

from django.conf import settings
from django.core.management import call_command

from annotation.models import Assignment, Campaign, Dataset, Role, Round, User
from annotation.selectors.figures.figures import scope_of_campaign, scope_of_dataset
from annotation.services.figures.figures import compute_figures
from annotation.services.figures.raters import compute_raters
from annotation.services.ratings.screening import run_screening
from bench.addresses_walk import (
    People,
    chosen_ids,
    dearest_of,
    entered,
    forget_answers,
    get_routes,
    highest_keys,
)
from bench.addresses_world import LARGE, UNRATED, WorldSize, make_world
from tests.site.furnished import furnish

NOTES = Path(settings.STATE_FOLDER) / "world.json"


def prepare(takes: int, ratings: int, campaigns: int, raters: int) -> dict[str, object]:
    """Make the database, the large world and something of every other kind beside it."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    owner = User.objects.create_user("owner", role=Role.RESEARCHER)
    make_world(WorldSize(takes, ratings, campaigns, raters), owner)
    large = highest_keys()
    house = furnish(owner)
    administrator = User.objects.create_superuser("administrator")
    scopes = [scope_of_campaign(Campaign.objects.get(name=name)) for name in (LARGE, UNRATED)]
    scopes += [
        scope_of_dataset(user, Dataset.objects.get(name="Large")) for user in (owner, administrator)
    ]
    for scope in scopes:
        compute_figures(scope=scope)
    for name in (LARGE, UNRATED):
        round_ = Round.objects.get(campaign__name=name)
        run_screening(round_=round_, actor=owner)
        compute_raters(round_=round_)
    rater = Assignment.objects.earliest("pk").rater
    people = [administrator, owner, rater, *house.people]
    notes = {"large": large, "people": [person.pk for person in people]}
    NOTES.write_text(json.dumps(notes))
    return notes


def walk(part: str = "") -> dict[str, dict[str, object]]:
    """The costs of the dearest address of each route that answers."""
    # Who is refused, and what is not there, is no news here.
    logging.disable(logging.ERROR)
    notes = json.loads(NOTES.read_text())
    users = [User.objects.get(pk=pk) for pk in notes["people"]]
    people = People(entered(users), chosen_ids(notes["large"]))
    routes = [route for route in get_routes() if re.search(part, route)]
    # Found before what is loaded is out of sight.
    forget_answers()
    # As the web server does: else a look through all that is loaded, some 140 ms, falls on an
    # answer now and then.
    gc.freeze()
    costs = {}
    for route in routes:
        cost = dearest_of(route, people)
        if cost is not None:
            costs[route] = cost.to_dict()
    return costs


def main() -> None:
    match sys.argv[1:]:
        case ["prepare", *numbers] if len(numbers) == 4:
            answer: object = prepare(*map(int, numbers))
        case ["walk", *parts]:
            answer = walk(*parts)
        case other:
            sys.exit(f"{other} is not a command; see the top of this file")
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
