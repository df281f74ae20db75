"""Launch a run from the command line, as the page and the API do."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Take, User
from annotation.selectors.corpus.corpus import visible_datasets
from generation import launch
from generation.engine.planner.files.profile_files import load_profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import BRIDGE, MANUAL, NO_MODEL, RULES, ClipOptions, RunOptions
from generation.engine.stages import Stage
from generation.management.planning import refusals
from generation.models import Endpoint, TextEndpoint, VideoEndpoint
from generation.selectors.calls.endpoints import endpoints_for_user
from generation.selectors.launching.models import launch_faults
from generation.services.runs import RunRequest

LEAST_BUDGET_USD = 0.01
# The options of this command that do not have the name of the run's option.
OPTIONS = {"reviews_prompts": "review_prompts"}
STAGES = [str(stage) for stage in Stage]


class Command(CommandWithoutPages):
    help = "Launch a run over a data set; workers of the site take it from the queue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="name of a data set that the owner may see")
        parser.add_argument("--owner", required=True, help="account of a researcher")
        parser.add_argument("--seed", type=int, required=True)
        parser.add_argument("--profile", default=DEFAULT_PROFILE.name)
        parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
        parser.add_argument("--takes", nargs="+", metavar="UID", help="only these takes")
        parser.add_argument("--name", help="default: name of the data set and seed")
        parser.add_argument("--share", action="store_true", help="every researcher may see it")
        parser.add_argument("--writer", default=RULES, help="rules, or a text model by its name")
        parser.add_argument("--judge", default=NO_MODEL, help="none, or a text model by its name")
        parser.add_argument(
            "--publish-hard-findings",
            action="store_true",
            help="publish texts even if the judge's hard findings remain",
        )
        parser.add_argument(
            "--budget", type=_dollars, help="US dollars; the run stops before it could cost more"
        )
        parser.add_argument(
            "--clips", default=BRIDGE, help="bridge, manual, or a video model by its name"
        )
        parser.add_argument("--prompts", default=RULES, help="rules, or a text model by its name")
        parser.add_argument("--camera", choices=[str(view) for view in View], default="egocentric")
        parser.add_argument("--cross-fade", type=float, default=0.0, metavar="SECONDS")
        parser.add_argument("--review-prompts", action="store_true")
        parser.add_argument("--no-caption", action="store_true", help="on placeholders")
        parser.add_argument("--no-mark", action="store_true", help="on placeholders")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None or not owner.is_researcher:
            raise CommandError(f"There is no researcher {options['owner']!r}.")
        with refusals():
            dataset = visible_datasets(owner).filter(name=options["dataset"]).first()
            if dataset is None:
                raise CommandError(f"{owner.username} sees no data set {options['dataset']!r}.")
            takes = None
            if options["takes"] is not None:
                takes = Take.objects.filter(dataset=dataset, uid__in=options["takes"])
                unknown = sorted(set(options["takes"]) - set(takes.values_list("uid", flat=True)))
                if unknown:
                    raise CommandError(f"{dataset.name} has no takes {', '.join(unknown[:10])}.")
            request = RunRequest(
                name=options["name"] or f"{dataset.name}, seed {options['seed']}",
                dataset=dataset,
                profile=load_profile(options["profile"]),
                seed=options["seed"],
                stages=[Stage(stage) for stage in options["stages"]],
                takes=takes,
                is_shared=options["share"],
                options=_options(options, owner).to_dict(),
            )
        try:
            with shown_while("Queueing the takes", self.stderr, left="either all are, or none"):
                run = launch.launch_run(request=request, actor=owner)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        take_count = run.run_takes.count()
        if options["json"]:
            self.stdout.write(json.dumps({"id": run.public_id, "takes": take_count}))
        else:
            self.stdout.write(f"Run {run.public_id}, {run.name}: {take_count} takes queued.")


def _dollars(text: str) -> float:
    amount = float(text)
    if not amount >= LEAST_BUDGET_USD:
        raise ArgumentTypeError(f"{text}; expected at least {LEAST_BUDGET_USD}")
    return amount


def _options(options: dict[str, Any], owner: User) -> RunOptions:
    """The options, with models by their ids; refuses models that the owner may not use."""
    texts, videos = (
        list(endpoints_for_user(owner, TextEndpoint)),
        list(endpoints_for_user(owner, VideoEndpoint)),
    )
    chosen = RunOptions(
        writer=_word(options["writer"], {RULES}, texts),
        judge=_word(options["judge"], {NO_MODEL}, texts),
        budget_usd=options["budget"],
        clips=ClipOptions(
            maker=_word(options["clips"], {BRIDGE, MANUAL}, videos),
            prompts=_word(options["prompts"], {RULES}, texts),
            view=View(options["camera"]),
            shows_caption=not options["no_caption"],
            is_marked=not options["no_mark"],
            cross_fade_s=options["cross_fade"],
            reviews_prompts=options["review_prompts"],
        ),
        publishes_hard_findings=options["publish_hard_findings"],
    )
    faults, clip_faults = launch_faults(owner, chosen)
    if all_faults := faults | clip_faults:
        lines = (f"{OPTIONS.get(name, name)}: {fault}" for name, fault in all_faults.items())
        raise CommandError("\n".join(lines))
    return chosen


def _word(name: str, words: set[str], endpoints: Iterable[Endpoint]) -> str:
    """The value of an option: one of the words as it is, or the id of the endpoint of that name."""
    if name in words:
        return name
    ids = [item.public_id for item in endpoints if name in {item.name, item.public_id}]
    if not ids:
        names = ", ".join([*sorted(words), *(item.name for item in endpoints)])
        raise CommandError(f"There is no model {name!r}; expected one of {names}.")
    return ids[0]
