"""Small item sets of tests, and assessments that are worked on at once."""

from benchmarks.models import Assessment
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, start_assessment
from generation.models import TextCall
from tests.benchmarks.made import frozen, made_set
from tests.generation.text_endpoints import make_endpoint


def small_set(dataset, owner, task="step_mistakes", item_count=24, **changes):
    """A frozen set of the first items of a task; sequences stay whole."""
    item_set = made_set(dataset, owner, task, **changes)
    order = item_set.items.order_by("sequence", "sequence_position", "position")
    first = list(order.values_list("pk", "sequence"))[:item_count]
    sequences = {sequence for _, sequence in first if sequence}
    rest = item_set.items.exclude(pk__in=[pk for pk, _ in first]).exclude(sequence__in=sequences)
    rest.delete()
    item_set.item_count = item_set.items.count()
    item_set.save()
    frozen(item_set, owner)
    return item_set


def model(server, owner, **changes):
    """An endpoint of the owner's at a server, asked one at a time."""
    fields = {"name": "Asked", "owner": owner, "concurrency": 1, **changes}
    return make_endpoint(server.url, **fields)


def started(item_set, endpoint, owner, **changes):
    request = AskRequest(**{"endpoint": endpoint.public_id, "pictures": 3, **changes})
    assessment, job_ids = start_assessment(item_set=item_set, request=request, actor=owner)
    return assessment, job_ids


def assessed(item_set, endpoint, owner, **changes):
    assessment, job_ids = started(item_set, endpoint, owner, **changes)
    work_on_assessments(job_ids=job_ids)
    return read_again(assessment)


def read_again(assessment):
    return Assessment.objects.select_related("item_set", "job").get(pk=assessment.pk)


def answers_by_key(assessment):
    rows = assessment.answers.order_by("item", "repeat")
    return list(rows.values_list("item__key", "repeat", "status", "value"))


def call_count():
    return TextCall.objects.count()
