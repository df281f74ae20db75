"""Make, freeze, share and delete item sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.http import Http404
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import User
from annotation.selectors.records.status import installed_version
from annotation.services.records.audit_log import record
from benchmarks.engine import task as engine
from benchmarks.engine.content import OpaqueNames, content_hash
from benchmarks.engine.division import TRAINING, Division, divide
from benchmarks.engine.folds import FOLD
from benchmarks.engine.leakage import find_leaks
from benchmarks.engine.registry import tasks
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import DATASET
from benchmarks.selectors.material import Source
from benchmarks.selectors.sources import SOURCES
from benchmarks.services.figures import add_baselines

MAX_SEED = 2**53 - 1
MOST_ITEMS = 1_000_000
ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class ItemSetRequest:
    """What to make; `source` is the public id of the data set, or of the task's other source."""

    name: str
    task: str
    source: str
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    division: Division | None = None
    is_shared: bool = False


class ItemSetInUseError(NotNowError):
    """The item set cannot be changed or deleted; the message says why."""


def make_item_set(*, request: ItemSetRequest, actor: User | None) -> ItemSet:
    """Make the items of a data set that the user may read, to be looked at before the freeze.

    `actor` None is the command line. Raises ValidationError by field, also for a source that the
    user may not read.
    """
    task = tasks().get(request.task)
    if task is None:
        known = ", ".join(tasks())
        raise ValidationError({"task": f"There is no task {request.task!r}; expected {known}."})
    if not 0 <= request.seed <= MAX_SEED:
        raise ValidationError({"seed": f"It is {request.seed}; expected 0 to {MAX_SEED}."})
    if request.division is not None and task.source != DATASET:
        # Everybody who sees a set gets its examples with their truth, here people's answers.
        words = f"{task.title} cannot be divided: what it is made of gives no examples."
        raise ValidationError({"division": words})
    settings = checked_settings(task, request.settings)
    try:
        source = SOURCES[task.source].read(actor, request.source)
    except Http404 as error:
        words = f"You have no {task.source} {request.source!r}."
        raise ValidationError({"source": words}) from error
    material = source.material
    try:
        items = list(task.items(material, settings, request.seed))
        if request.division is not None:
            if any(item.part or FOLD in item.groups for item in items):
                raise ValueError("the settings divide it already; expected them or parts, not both")
            items = divide(items, request.division, request.seed, material.generated_from)
        _check_items(items)
    except ValueError as error:
        raise ValidationError(f"No items can be made of {material.name}: {error}.") from error
    names = OpaqueNames(task, settings, request.seed, items)
    by_key = {names.of("item", item.key): item for item in items}
    item_set = ItemSet(
        name=request.name.strip(),
        task=task.name,
        task_version=task.version,
        settings=settings,
        seed=request.seed,
        division=request.division.to_dict() if request.division else {},
        leaks=[
            leak.to_dict() | {"words": str(leak)}
            for leak in find_leaks(items, material.generated_from)
        ],
        left_out=dict(task.left_out(material, settings)),
        dataset=source.dataset,
        source=material.name,
        owner=actor,
        is_shared=request.is_shared,
        item_count=sum(item.part not in TRAINING for item in items),
        content_hash=content_hash(task, settings, by_key),
        code_version=installed_version(),
    )
    rows = _rows(item_set, by_key, names, source)
    with transaction.atomic():
        if actor is not None:
            # Locked, else two simultaneous clicks would both make the same version.
            User.objects.select_for_update(no_key=True).get(pk=actor.pk)
        same = ItemSet.objects.filter(owner=actor, name=item_set.name)
        item_set.version = (same.aggregate(latest=Max("version"))["latest"] or 0) + 1
        item_set.full_clean(exclude=["content_hash"])
        item_set.save()
        Item.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
        _record_set(item_set, actor, "make", {"items": len(items), "hash": item_set.content_hash})
    return item_set


def checked_settings(task: engine.Task, requested: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a task, as requested or by default; raises ValidationError by name."""
    settings = {setting.name: setting for setting in task.settings}
    faults = {
        name: f"{task.title} has no such setting; expected {', '.join(settings) or 'none'}."
        for name in requested
        if name not in settings
    }
    values: dict[str, Any] = {}
    for name, setting in settings.items():
        value = requested.get(name, setting.default)
        if setting.choices:
            if value not in setting.choices:
                faults[name] = f"It is {value!r}; expected one of {', '.join(setting.choices)}."
        elif isinstance(setting.default, str):
            value = str(value)
        else:
            kind = type(setting.default)
            try:
                value = kind(value)
                if not setting.least <= value <= setting.most:
                    raise ValueError
            except (TypeError, ValueError, OverflowError):
                ends = f"{setting.least:g} to {setting.most:g}"
                faults[name] = f"It is {value!r}; expected a number from {ends}."
        values[name] = value
    if faults:
        raise ValidationError(faults)
    return values


def _check_items(items: Sequence[engine.Item]) -> None:
    """Raise ValueError for items that cannot be stored or asked."""
    if all(item.part in TRAINING for item in items):
        raise ValueError("the task finds nothing to ask in it")
    if len(items) > MOST_ITEMS:
        raise ValueError(f"it makes {len(items)} items; expected at most {MOST_ITEMS}")
    seen: set[str] = set()
    places: set[tuple[str, int]] = set()
    for item in items:
        if item.key in seen:
            raise ValueError(f"the item {item.key!r} is there twice")
        seen.add(item.key)
        if (item.start_s is None) != (item.moment_s is None):
            raise ValueError(f"the item {item.key!r} has one of two times")
        if item.sequence:
            place = item.sequence, item.position
            if place in places:
                raise ValueError(f"two items have place {item.position} of {item.sequence!r}")
            places.add(place)


def _rows(
    item_set: ItemSet, items: Mapping[str, engine.Item], names: OpaqueNames, source: Source
) -> list[Item]:
    """The items as rows, in the order of their opaque keys, so that it reveals nothing."""
    return [
        Item(
            item_set=item_set,
            position=position,
            key=key,
            source_key=item.key,
            recording=names.of("recording", item.recording),
            sequence=names.of("sequence", item.sequence) if item.sequence else "",
            sequence_position=item.position,
            question=item.question,
            payload=item.payload,
            choices=list(item.choices),
            truth=item.truth,
            groups=item.groups,
            start_s=item.start_s,
            moment_s=item.moment_s,
            part=item.part,
            source_recording=item.recording,
            take=item.take,
            procedure=item.procedure,
            person=item.person,
            video_id=source.video_ids.get(item.recording),
        )
        for position, (key, item) in enumerate(sorted(items.items(), key=itemgetter(0)))
    ]


def freeze_item_set(*, item_set: ItemSet, actor: User | None) -> None:
    """Make the items final, and let the trivial baselines answer them."""
    with transaction.atomic():
        changed = ItemSet.objects.filter(pk=item_set.pk, frozen_at__isnull=True)
        item_set.frozen_at = timezone.now()
        if not changed.update(frozen_at=item_set.frozen_at):
            return  # a second click: already frozen
        add_baselines(item_set=item_set, actor=actor)
        _record_set(item_set, actor, "freeze", {"hash": item_set.content_hash})


def require_frozen(item_set: ItemSet) -> None:
    """Raise ValidationError unless the items are final."""
    if not item_set.is_frozen:
        raise ValidationError(f"{item_set} is not frozen yet; freeze it before anybody answers.")


def lock_item_set(item_set: ItemSet) -> None:
    """Lock the set until the transaction ends; raises ItemSetInUseError if it was deleted.

    Both adding a participant and deleting the set take this lock, so neither misses the other.
    """
    if ItemSet.objects.select_for_update().filter(pk=item_set.pk).first() is None:
        raise ItemSetInUseError(f"{item_set} has been deleted.")


def share_item_set(*, item_set: ItemSet, is_shared: bool, actor: User | None) -> None:
    """Open the items, not their truth, to every researcher of the site, or close them again."""
    with transaction.atomic():
        changed = ItemSet.objects.filter(pk=item_set.pk).exclude(is_shared=is_shared)
        if changed.update(is_shared=is_shared):
            item_set.is_shared = is_shared
            _record_set(item_set, actor, "share" if is_shared else "unshare", {})


def delete_item_set(*, item_set: ItemSet, actor: User | None) -> None:
    """Delete a set that only baselines have answered; raises ItemSetInUseError."""
    with transaction.atomic():
        lock_item_set(item_set)
        takers = item_set.assessments.exclude(kind="baseline")
        if count := takers.count():
            words = f"{count} participants have answered {item_set}; delete theirs first."
            raise ItemSetInUseError(words)
        item_set.assessments.all().delete()
        _record_set(item_set, actor, "delete", {"name": str(item_set)})
        item_set.delete()


def _record_set(
    item_set: ItemSet, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"item_set:{item_set.public_id}"
    record(actor=actor, action=f"item_set.{action}", subject=subject, detail=detail)
