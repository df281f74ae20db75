"""Start participants that are trained on features; `training_work` does the training."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import User
from annotation.selectors.records.status import installed_version
from benchmarks.engine.task import Task
from benchmarks.engine.training.recipes import (
    KINDS,
    MAJORITY,
    MEAN,
    PRESETS,
    RECIPES,
    STEP_SCORES,
    Recipe,
    kinds_for,
    recipe_of,
)
from benchmarks.models import Assessment, FeatureSet, ItemSet, ParticipantKind
from benchmarks.selectors.item_sets import engine_item, refuse_while_answering, task_of
from benchmarks.selectors.training import (
    divides_recordings,
    parts_with_folds,
    trainable_feature_sets,
    trainable_folds,
)
from benchmarks.services.assessments import name_of_run, queue_assessment, record_assessment
from benchmarks.services.item_sets import lock_item_set, require_frozen

MOST_SEEDS, MOST_EPOCHS, MOST_GAMMA = 20, 10_000, 10
BY_MAJORITY = 0.5


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """Which model to train on which features (public ids, in the order of its modalities).

    Numbers that are None are the preset's; only some models have a beta or gamma. Seeds are 0, 1,
    and so on.
    """

    model: str
    features: Sequence[str]
    preset: str = PRESETS[0]
    seeds: int = 3
    epochs: int | None = None
    learning_rate: float | None = None
    beta: float | None = None
    gamma: float | None = None
    step_score: str = MEAN
    name: str = ""


@transaction.atomic
def start_training(
    *, item_set: ItemSet, request: TrainRequest, actor: User | None
) -> tuple[Assessment, list[int]]:
    """Have a model trained and scored on a frozen item set; raises ValidationError by field."""
    require_frozen(item_set)
    lock_item_set(item_set)
    refuse_while_answering(actor, item_set)
    task = task_of(item_set)
    folds, reason = trainable_folds(task, parts_with_folds(item_set))
    if reason:
        raise ValidationError(reason)
    _check_request(request, task)
    sets = _feature_sets(item_set, request, actor)
    recipe = _recipe(item_set, task, request, sets)
    name = request.name.strip() or f"{request.model} on {' + '.join(row.name for row in sets)}"
    assessment = Assessment(
        item_set=item_set,
        kind=ParticipantKind.TRAINED,
        name=name_of_run(item_set, f"{name} ({task.trained_with})" if task.trained_with else name),
        owner=actor,
        settings={
            "recipe": recipe.to_dict(),
            "features": [
                {
                    "id": row.public_id,
                    "name": row.name,
                    "made_by": row.made_by,
                    "content_hash": row.content_hash,
                }
                for row in sets
            ],
            "seeds": list(range(request.seeds)),
            "folds": folds,
            "repeats": request.seeds,
        },
        code_version=installed_version(),
    )
    job_ids = queue_assessment(assessment, actor)
    detail = {"set": item_set.public_id, **assessment.settings}
    record_assessment(assessment, actor, "train", detail)
    return assessment, job_ids


def _check_request(request: TrainRequest, task: Task) -> None:
    models = [kind.name for kind in kinds_for(task.learns)]
    presets = [preset for model, preset in RECIPES if model == request.model] or PRESETS
    epochs, rate = request.epochs, request.learning_rate
    beta, gamma = request.beta, request.gamma
    checks = (
        ("model", request.model in models, f"one of {', '.join(models)}"),
        ("preset", request.preset in presets, f"one of {', '.join(presets)}"),
        ("step_score", request.step_score in STEP_SCORES, f"one of {', '.join(STEP_SCORES)}"),
        ("seeds", 1 <= request.seeds <= MOST_SEEDS, f"1 to {MOST_SEEDS}"),
        ("epochs", epochs is None or 1 <= epochs <= MOST_EPOCHS, f"1 to {MOST_EPOCHS}"),
        ("learning_rate", rate is None or 0 < rate <= 1, "above 0, at most 1"),
        ("beta", beta is None or 0 <= beta < 1, "0 or more, below 1"),
        ("gamma", gamma is None or 0 <= gamma <= MOST_GAMMA, f"0 to {MOST_GAMMA}"),
    )
    faults = {
        name: f"It is {_shown(getattr(request, name))}; expected {expected}."
        for name, is_right, expected in checks
        if not is_right
    }
    if len(request.name) > 250:
        faults["name"] = "It is too long; expected at most 250 characters."
    if faults:
        raise ValidationError(faults)


def _shown(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value!r}"


def _feature_sets(item_set: ItemSet, request: TrainRequest, actor: User | None) -> list[FeatureSet]:
    kind = KINDS[request.model]
    missing = kind.what_is_missing()
    if missing:
        raise ValidationError({"model": f"{missing}."})
    usable = {row.public_id: row for row in trainable_feature_sets(actor, item_set)}
    public_ids = list(request.features)
    for public_id in public_ids:
        if public_id not in usable:
            words = f"You have no features {public_id!r} of {item_set.source}."
            raise ValidationError({"features": words})
    if not 1 <= len(set(public_ids)) == len(public_ids) <= kind.most_sets:
        most = "one feature set" if kind.most_sets == 1 else f"1 to {kind.most_sets} different ones"
        words = f"There are {len(public_ids)}; {kind.name} takes {most}."
        raise ValidationError({"features": words})
    sets = [usable[public_id] for public_id in public_ids]
    if len({row.seconds_per_row for row in sets}) > 1:
        lengths = ", ".join(f"{row.name} has {row.seconds_per_row:g} s" for row in sets)
        words = f"Rows of all feature sets have to be equally long: {lengths}."
        raise ValidationError({"features": words})
    return sets


def _recipe(
    item_set: ItemSet, task: Task, request: TrainRequest, sets: Sequence[FeatureSet]
) -> Recipe:
    example = engine_item(item_set.items.order_by("position")[0])
    recipe = recipe_of(
        request.model,
        request.preset,
        tuple(row.width for row in sets),
        is_early=task.samples(example, item_set.settings)[0].is_early,
        is_by_step=divides_recordings(item_set),
    )
    changes: dict[str, Any] = {
        name: value
        for name in ("epochs", "learning_rate", "beta", "gamma")
        if (value := getattr(request, name)) is not None
    }
    for name in {"beta", "gamma"} & set(changes):
        if getattr(recipe, name) is None:
            raise ValidationError({name: f"It is {changes[name]:g}; {recipe.model} has none."})
    if request.step_score == MAJORITY:
        changes |= {"step_score": MAJORITY, "threshold": BY_MAJORITY}
    return replace(recipe, **changes)
