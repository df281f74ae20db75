"""The options of `benchmark`, by what its subcommands are about."""

from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import Any

from annotation.analytics.tables.table_writers import TableFormat
from benchmarks.engine.division import PARTS, TRAINING, UNITS
from benchmarks.engine.training.recipes import KINDS, PRESETS, STEP_SCORES
from benchmarks.selectors.downloads import Download
from benchmarks.selectors.planned_sizes import RATERS


def add_making(commands: Any) -> None:
    make = commands.add_parser("make", help="make the items of a data set")
    make.add_argument("task")
    make.add_argument(
        "source",
        help="name or id of the data set; for model_as_rater the name of a campaign",
    )
    make.add_argument(
        "--with",
        action="append",
        default=[],
        dest="mixed_with",
        metavar="DATASET",
        help="another data set to mix with it, once for each",
    )
    for part in TRAINING:
        make.add_argument(
            f"--{part}",
            action="append",
            default=[],
            metavar="DATASET",
            help=f"another data set whose items are all {part}; those above are then test",
        )
    make.add_argument("--round", type=int, help="number of the campaign's round")
    make.add_argument("--dataset", help="name of one of the round's data sets")
    make.add_argument("--name", required=True)
    make.add_argument("--seed", type=int, default=0)
    make.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    make.add_argument("--divide-by", choices=UNITS)
    make.add_argument(
        "--example-recordings",
        type=int,
        default=0,
        metavar="COUNT",
        help="recordings of each data set to learn from, in place of --divide-by",
    )
    make.add_argument(
        "--shares", type=float, nargs=3, default=(0.6, 0.2, 0.2), metavar=tuple(PARTS)
    )
    make.add_argument("--owner", help="username of its owner; without one it is shared")
    make.add_argument("--shared", action="store_true")
    _add_queue(make)


def add_sets(commands: Any) -> None:
    """Freeze, resume, download; the table of figures."""
    commands.add_parser("list", help="tasks and item sets")
    freeze = commands.add_parser("freeze", help="fix the items for good")
    resume = commands.add_parser("resume", help="go on with a set that was stopped")
    for command in (freeze, resume):
        command.add_argument("item_set")
        _add_queue(command)
    download = commands.add_parser("download", help="items without truth, or a template")
    download.add_argument("item_set")
    download.add_argument("which", choices=list(Download), nargs="?", default=Download.ITEMS)
    download.add_argument("--to", type=Path, help="a file or folder; else it is printed")
    training = download.add_argument_group("training files")
    training.add_argument(
        "--leave-out-shared",
        action="store_true",
        dest="leaves_out_shared",
        help="leave out what the part test shares, which is refused otherwise",
    )
    training.add_argument(
        "--noisy",
        action="store_true",
        dest="has_noisy",
        help="add copies whose plan is wrong, late, or has stale cues",
    )
    training.add_argument(
        "--doubled",
        action="store_true",
        dest="is_doubled",
        help="write interrupts twice instead of weighing them 2",
    )
    table = commands.add_parser("table", help="everybody's figures")
    table.add_argument("item_set")
    table.add_argument("--form", choices=list(TableFormat), default=TableFormat.MARKDOWN)
    table.add_argument("--group", default="")
    table.add_argument("--value", default="")
    plan = commands.add_parser("plan", help="recordings for intervals of a wanted width")
    plan.add_argument("assessment", nargs="?", help="whose intervals there are; else --set")
    plan.add_argument("--set", dest="item_set", help="an item set that nobody has answered yet")
    plan.add_argument("--items-per-recording", type=float, help="of a set that is not made yet")
    plan.add_argument("--accuracy", type=float, default=0.7, help="the expected one: 0.7")
    plan.add_argument(
        "--recording", type=float, default=0.05, help="correlation within a recording: 0.05"
    )
    plan.add_argument("--item", type=float, default=0.0, help="of people on an item: 0")
    plan.add_argument("--rater", type=float, default=0.0, help="of one person's answers: 0")
    plan.add_argument(
        "--raters", type=int, nargs="+", default=list(RATERS), help="who answer each item"
    )
    plan.add_argument(
        "--width",
        type=float,
        action="append",
        dest="widths",
        help="of the interval of 95%%; may be given several times",
    )
    plan.add_argument("--form", choices=list(TableFormat), default=TableFormat.MARKDOWN)


def add_audits(commands: Any) -> None:
    """What can be guessed without pictures, and leaving it out."""
    audit = commands.add_parser("audit", help="what can be guessed without pictures")
    audit.add_argument("item_set")
    audit_tasks = commands.add_parser(
        "audit_tasks", help="a table of what can be guessed in every task on data sets"
    )
    audit_tasks.add_argument("datasets", nargs="+", help="names or ids of data sets")
    leave_out = commands.add_parser(
        "leave_out", help="leave out what guessers without pictures guess, before the freeze"
    )
    leave_out.add_argument("item_set")
    what = leave_out.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--guessed-by",
        type=int,
        dest="at_least",
        metavar="GUESSERS",
        help="what at least so many guessers that beat chance guess",
    )
    what.add_argument(
        "--balance", action="store_true", help="what is too frequent where it is guessed alike"
    )
    _add_queue(leave_out)


def add_asking(commands: Any) -> None:
    """Score a file, ask a model, have answers graded."""
    upload = commands.add_parser("upload", help="score a file of answers")
    upload.add_argument("item_set")
    upload.add_argument("file", type=Path)
    upload.add_argument("--name", required=True, help="the participant's exact name")
    upload.add_argument(
        "--count-missing",
        action="store_true",
        help="count items without an answer as wrong, in every figure",
    )
    assess = commands.add_parser(
        "assess", help="have a text model or an agent answer", argument_default=SUPPRESS
    )
    assess.add_argument("item_set")
    assess.add_argument("endpoint", help="name or id of a text model or an agent")
    assess.add_argument("--pictures", type=int)
    assess.add_argument("--picture-side", type=int)
    assess.add_argument("--picture-detail")
    assess.add_argument("--repeats", type=int)
    assess.add_argument("--temperature", type=float)
    assess.add_argument("--budget", type=float, dest="budget_usd", metavar="DOLLARS")
    assess.add_argument("--limit", type=int, help="ask about a sample of at most so many items")
    assess.add_argument("--variant", help="one of the task's ways to ask, see `list`")
    assess.add_argument(
        "--role",
        action="append",
        dest="roles",
        metavar="ROLE=MODEL",
        default=[],
        help="another text model for a role of the set, such as planner=NAME",
    )
    assess.add_argument(
        "--price",
        action="store_true",
        default=False,
        help="say the cost, ask nothing",
    )
    assess.add_argument("--judge", action="append", dest="judges", metavar="JUDGE", default=[])
    judge = commands.add_parser("judge", help="have text models grade final answers")
    judge.add_argument("assessment")
    judge.add_argument("judges", nargs="*", metavar="judge", help="name or id of a text model")
    judge.add_argument("--budget", type=float, dest="budget_usd", metavar="DOLLARS")
    for command in (assess, judge):
        _add_queue(command)


def add_training(commands: Any) -> None:
    train = commands.add_parser(
        "train", help="train a model on features", argument_default=SUPPRESS
    )
    train.add_argument("item_set")
    train.add_argument("model", choices=KINDS)
    train.add_argument("features", nargs="+", help="names or ids of feature sets, video first")
    train.add_argument("--preset", choices=PRESETS)
    train.add_argument("--seeds", type=int, help="how many models")
    train.add_argument("--epochs", type=int)
    train.add_argument("--learning-rate", type=float)
    train.add_argument("--beta", type=float, help="of class weights, MLP and MLP-focal")
    train.add_argument("--gamma", type=float, help="of the focal loss, MLP-focal")
    train.add_argument("--step-score", choices=STEP_SCORES)
    train.add_argument("--name", help="the participant's exact name")
    _add_queue(train)


def _add_queue(command: ArgumentParser) -> None:
    # Stated, for commands whose other options are absent where nobody gives them.
    command.add_argument(
        "--queue", action="store_true", default=False, help="leave it to the workers"
    )
