"""A site on which one owner has something of every kind, and the addresses of all of it."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.utils import timezone

from annotation.analytics.pictures.canvas import PictureFormat
from annotation.analytics.pictures.paper_pictures import PaperPicture
from annotation.analytics.tables.paper_tables import PaperTable
from annotation.analytics.tables.table_writers import TableFormat
from annotation.engine.campaigns.people_questions import PeopleQuestion
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Campaign,
    Case,
    CaseComment,
    Dataset,
    LikelyTruthFigures,
    LikelyValue,
    Remark,
    User,
)
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.people_questions import (
    answer_about_oneself,
    set_people_questions,
)
from annotation.services.campaigns.protocol import accept_consent, set_consent_text
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.ratings.gold import NewGold, mark_gold
from benchmarks.models import (
    AgentEndpoint,
    FeatureSet,
    ItemSet,
    LiveEvent,
    LiveEventKind,
    LiveRun,
    ProposedRecording,
    StepProposals,
)
from benchmarks.selectors.downloads import Download
from benchmarks.services.answering import start_answering
from benchmarks.services.people.judging import draw_sample, finish_grading, grade_answer
from generation.engine.stages import Stage
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from sample.corpus import load_corpus
from tests.annotation.two_rounds import make_two_rounds
from tests.benchmarks.asked import small_set
from tests.benchmarks.made import as_csv, baseline_values, uploaded
from tests.benchmarks.questions.made import questions_made
from tests.factories import DatasetFactory
from tests.generation.tea import add_take, request_for
from tests.generation.text_endpoints import make_endpoint
from tests.generation.video_endpoints import make_video_endpoint
from tests.segments.campaigns import audit_and_correction
from tests.texts.reading_rounds import text_round

# What the first word of an address names; the model that holds such ids.
KINDS = {
    "audit": "annotation.Assignment", "assignments": "annotation.Assignment",
    "cases": "annotation.Case", "campaigns": "annotation.Campaign",
    "datasets": "annotation.Dataset", "graphs": "annotation.Dataset",
    "takes": "annotation.Take", "traces": "annotation.Trace", "gold": "annotation.GoldItem",
    "rounds": "annotation.Round", "queue": "annotation.Round", "training": "annotation.Round",
    "trainings": "annotation.Round",
    "runs": "generation.Run", "segments": "annotation.Segmentation",
    "segmentations": "annotation.Segmentation", "texts": "texts.TextVerdict",
    "text-verdicts": "texts.TextVerdict", "sets": "benchmarks.ItemSet",
    "item-sets": "benchmarks.ItemSet", "assessments": "benchmarks.Assessment",
    "answering": "benchmarks.Assessment", "features": "benchmarks.FeatureSet",
    "feature-sets": "benchmarks.FeatureSet", "endpoints": "generation.TextEndpoint",
    "agent-endpoints": "benchmarks.AgentEndpoint", "agents": "benchmarks.AgentEndpoint",
    "text-endpoints": "generation.TextEndpoint", "video": "generation.VideoEndpoint",
    "video-endpoints": "generation.VideoEndpoint", "filed": "annotation.ProtocolFile",
    "live": "benchmarks.LiveRun", "questions": "benchmarks.QuestionSet",
    "question-sets": "benchmarks.QuestionSet",
    "proposals": "benchmarks.StepProposals", "step-proposals": "benchmarks.StepProposals",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class House:
    """The campaigns of one owner, and raters who see a part of them."""

    audit: Campaign
    segments: Campaign
    people: list[User]


def furnish(owner: User, mark: str = "") -> House:
    """Make something of every kind that an owner has; `mark` tells names of two owners apart."""
    audit = make_two_rounds(owner, name=f"Audit{mark}", dataset_name=f"Tea{mark}")
    rating = audit.rounds.get(number=2).assignments.order_by("pk").first()
    Remark.objects.create(
        assignment=rating, kind="comment", text="x", revision=1, client_id="a", client_sequence=1,
        written_at=timezone.now(),
    )  # fmt: skip
    gold = NewGold(0, Metric.PROCEDURE_LOGIC, ["yes"], reason="x")
    mark_gold(campaign=audit, trace=rating.trace, new=gold, actor=owner)
    consent = set_consent_text(campaign=audit, text="x", actor=owner)
    accept_consent(text=consent, rater=rating.rater)
    set_people_questions(campaign=audit, questions=[PeopleQuestion("x")], actor=owner)
    for membership in audit.raters.all():
        answer_about_oneself(campaign=audit, person=membership.rater, sent=["x"])
    case = Case.objects.create(
        round=audit.rounds.get(number=1), trace=rating.trace, event=rating.trace.events.get(),
        metric="confusability",
    )  # fmt: skip
    CaseComment.objects.create(case=case, author=owner, text="x", client_key="k")
    right = LikelyTruthFigures.objects.create(
        campaign=audit, computed_at=timezone.now(), reasons=["x"]
    )
    LikelyValue.objects.create(
        figures=right, dataset="x", rounds="x", metric=Metric.ERROR_VALIDITY, trace="x",
        event="x", value="yes", given=1, raters=2, is_likeliest=True, posterior=0.5,
    )  # fmt: skip
    segments, people, *_ = audit_and_correction(owner, name=f"Segments{mark}")
    for name, person in people.items():
        # The names are taken when the next owner comes.
        person.username = f"{name}-of-{owner.username}"
        person.save()
    reading, _ = text_round(owner, people=(), name=f"Texts{mark}")
    add_raters(campaign=reading.campaign, raters=[rating.rater, people["ann"]], actor=owner)
    tea = DatasetFactory(name=f"Tea to plan{mark}", owner=owner)
    for uid in ("tea-a", "tea-b"):
        add_take(tea, uid)
    run = create_run(request=request_for(tea, stages=list(Stage)), actor=owner).run
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])
    everyday = f"Everyday{mark}"
    target = ImportTarget(name=everyday, format="native", owner=owner, is_shared=False)
    import_reading(load_corpus(), target=target, actor=owner)
    item_set = small_set(Dataset.objects.get(name=everyday), owner, item_count=4)
    uploaded(item_set, owner, as_csv(item_set, baseline_values(item_set)))
    start_answering(item_set=item_set, person=rating.rater, actor=owner)
    make_endpoint(owner=owner, name=f"Local{mark}")
    make_video_endpoint(owner=owner, name=f"Clips{mark}")
    agent = {"base_url": "http://127.0.0.1:9", "model_name": "Agent 1", "owner": owner}
    AgentEndpoint.objects.create(name=f"Agent{mark}", **agent)
    features = FeatureSet.objects.create(dataset=tea, owner=owner, name="x", width=1)
    proposals = StepProposals.objects.create(
        dataset=tea, owner=owner, name=f"Steps{mark}", features=features, features_name="x"
    )
    for position, uid in enumerate(("tea-a", "tea-b")):
        ProposedRecording.objects.create(proposals=proposals, position=position, key=f"take:{uid}")
    questions_made(Dataset.objects.get(name=everyday), owner, name=f"Questions{mark}")
    watched = {"recording": item_set.items.first().recording, "settings": {"model": "m"}}
    live = LiveRun.objects.create(item_set=item_set, owner=owner, length_s=9.0, **watched)
    LiveEvent.objects.create(run=live, number=1, kind=LiveEventKind.ENDED, time_s=9.0)
    return House(audit, segments, [rating.rater, people["ann"], people["cem"]])


def judged_set(dataset: Dataset, owner: User) -> ItemSet:
    """A set whose answers two models with names of formulas have graded, and the owner too."""
    judged = small_set(dataset, owner, "describe_mistake", item_count=2)
    file = uploaded(judged, owner, as_csv(judged, baseline_values(judged)))
    names = ("=1+<xss>", "@2<xss>")
    for answer in file.answers.all():
        for score, name in enumerate(names):
            answer.judged[name] = {"status": "read", "reason": "", "value": {"score": score}}
        answer.save()
    sample = draw_sample(item_set=judged, size=2, seed=0, actor=owner)
    grade_answer(sample=sample, person=owner, position=1, score=3)
    finish_grading(sample=sample, person=owner)
    return judged


def all_ids() -> dict[str, list[str]]:
    """The public ids of everything that addresses name, by model, and of items and clips."""

    def column(model: str, name: str) -> list[str]:
        rows = apps.get_model(model).objects.order_by("pk")
        return list(rows.values_list(name, flat=True).distinct())

    ids = {model: column(model, "public_id") for model in KINDS.values()}
    return {
        **ids,
        "items": column("benchmarks.Item", "key"),
        "clips": column("generation.TakeClip", "clip_id"),
    }


def kind_of(route: str) -> str:
    """The model whose ids stand first in a route, empty where it has none."""
    if "<str:token>" in route:
        return ""
    word = route.removeprefix("api/v1/").removeprefix("benchmarks/").split("/")[0]
    return KINDS.get("video" if route.startswith("endpoints/video/") else word, "")


def values_of(route: str, name: str, ids: dict[str, list[str]]) -> list[str]:
    """What a part of an address may be."""

    def named(word: str, most: int = 40) -> list[str]:
        return ids[KINDS[word]][:most] if word in KINDS else []

    forms = [*(form.value for form in TableFormat), *(form.value for form in PictureFormat)]
    fixed = {
        "number": ["1", "2"], "position": ["0"], "place": ["0"], "head": ["1"], "repeat": ["0"],
        "form": forms, "table": [key.value for key in PaperTable],
        "picture": [key.value for key in PaperPicture],
        "which": [*Download, "all", "suspect"], "task": ["step_mistakes"],
        "kind": ["pairs", "shared", "confusion", "drift", "take", "trace"],
        "suffix": ["csv", "tex", "md", *(form.value for form in PictureFormat)],
        "side": ["first", "last"],
        "filed_id": named("filed"), "trace_id": named("traces", 6),
        "recording": named("traces", 3), "other_id": named("assessments"),
        "round_id": named("rounds"), "gold_id": named("gold"), "key": ids["items"][:2],
        "assignment_id": named("assignments"), "clip_id": ids["clips"][:2],
        "upload_id": ids.get("uploads", []),
        # The links by which somebody may do something are of a route each.
        "token": ids.get(route.split("<")[0], []), "uidb64": ids.get("uidb64", []),
        "name": ["sprite"],
    }  # fmt: skip
    if name == "key" and "<str:" in route:
        return [key.value for key in (PaperTable if "table-" in route else PaperPicture)]
    if name != "public_id":
        return fixed.get(name, [])
    if route.startswith("benchmarks/walks/"):
        return [*named("takes", 3), *named("traces", 3)]
    return ids.get(kind_of(route), [])[:40]


def addresses_of(route: str, ids: dict[str, list[str]], most: int = 40) -> Iterator[str]:
    """The addresses that a route makes, at most so many of them."""
    names = re.findall(r"<\w+:(\w+)>", route)
    choices = [values_of(route, name, ids) for name in names]
    for chosen in itertools.islice(itertools.product(*choices), most):
        text = route
        for name, value in zip(names, chosen, strict=True):
            text = re.sub(rf"<\w+:{name}>", value, text)
        yield f"/{text}"
