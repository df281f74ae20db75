"""Item sets of every shape of answers with somebody who answered, so that their pages say much."""

from django.urls import reverse

from annotation.models import Campaign, Dataset, Role, User
from benchmarks.models import ParticipantKind
from benchmarks.services.answering import start_answering
from benchmarks.services.people.judging import draw_sample, finish_grading, grade_answer
from sample.site import PROTOCOL_CAMPAIGN
from tests.benchmarks.made import TASKS, as_lines, baseline_values, frozen_set, uploaded
from tests.benchmarks.questions.made import questions_frozen, questions_made
from tests.factories import UserFactory
from tests.generation.text_endpoints import make_endpoint


def make_benchmark_site(dataset: Dataset, annotator: User) -> tuple[list[str], list[str]]:
    """Addresses that a crawl by kinds of page would pass by: a researcher's, and the annotator's.

    The same kind of page has other elements for each shape of answers.
    """
    owner = dataset.owner
    make_endpoint(owner=owner)
    pilot, main = Campaign.objects.get(name=PROTOCOL_CAMPAIGN).rounds.order_by("number")
    rated = pilot.assignments.first().trace.dataset
    sets = [frozen_set(dataset, owner, task) for task in TASKS]
    sets += [
        frozen_set(None, owner, "model_as_rater", source=f"{one.public_id}:{rated.public_id}")
        for one in (pilot, main)
    ]
    questions = questions_frozen(questions_made(dataset, owner), owner)
    sets.append(frozen_set(None, owner, "error_questions", source=questions.public_id))
    addresses = [
        reverse("question-set", args=[questions.public_id]),
        reverse("item-set-new", args=["model_as_rater"]),
        reverse("queue-sorting", args=[main.public_id]),
    ]
    for item_set in sets:
        values = (
            baseline_values(item_set, 1)
            if item_set.assessments.exists()
            else {item.key: {"answer": item.choices[0]} for item in item_set.items.all()}
        )
        found = uploaded(item_set, owner, as_lines(values), file_name="answers.jsonl")
        addresses.append(reverse("assessment", args=[found.public_id]))
    for item_set in (sets[1], sets[-3]):
        addresses.append(reverse("item-set", args=[item_set.public_id]))
        addresses.append(reverse("item", args=[item_set.public_id, item_set.items.first().key]))
    # As if an endpoint had given them: its verdicts stand on the page of queues.
    for item_set in sets[-3:-1]:
        item_set.assessments.exclude(kind="baseline").update(
            kind=ParticipantKind.ENDPOINT, settings={"model": "m", "server": "here"}
        )
    first, second = sets[0].assessments.order_by("-pk")[:2]
    compare = reverse("item-set-compare", args=[sets[0].public_id])
    addresses.append(f"{compare}?first={first.public_id}&second={second.public_id}")
    texts = next(one for one in sets if one.task == "describe_mistake")
    sample = draw_sample(item_set=texts, size=5, seed=0, actor=owner)
    for number in range(2):
        judge = UserFactory(role=Role.RESEARCHER)
        for position in range(1, 6):
            grade = (position + number * (position % 2)) % 6
            grade_answer(sample=sample, person=judge, position=position, score=grade)
        finish_grading(sample=sample, person=judge)
    addresses += [
        reverse(name, args=[texts.public_id]) for name in ("item-set-judging", "judges-and-people")
    ]
    own = start_answering(item_set=sets[1], person=annotator, actor=owner)
    return addresses, [reverse("answering", args=[own.public_id])]
