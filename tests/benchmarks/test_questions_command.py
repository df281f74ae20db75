"""`manage.py questions import`: rows to a data set, joined, and asked about."""

import io
import json
import os
import signal
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from annotation.engine.corpus.formats import egooops
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import Dataset, Role, Trace, TraceStep
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from benchmarks.models import Figure, QuestionSet
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.questions.reviewing import ReviewRequest, finish_review, start_review
from tests.benchmarks.made import frozen_set, made_set
from tests.benchmarks.questions.made import questions_frozen
from tests.engine.corpus.formats.egoerrorvqa_folder import cook, oops, tent, write_folder
from tests.factories import UserFactory
from texts.models import TextVerdict
from texts.services.rounds import open_text_round
from texts.services.verdicts import SentVerdict, give_verdict

pytestmark = pytest.mark.django_db


def imported(folder, *options):
    out = io.StringIO()
    call_command("questions", "import", str(folder), *options, stdout=out)
    return out.getvalue()


def test_rows_become_recordings_of_their_own_and_each_trap_is_told(tmp_path, owner):
    said = imported(write_folder(tmp_path), "--owner", "owner")

    dataset = Dataset.objects.get(name="EgoErrorVQA")
    assert (dataset.format, dataset.owner) == ("egoerrorvqa", owner)
    assert "egooops_answer.json [4]: an error without a step text: that of instruction 1" in said
    assert Trace.objects.filter(dataset=dataset).count() == 7


def test_the_same_files_again_change_nothing_and_a_dry_run_writes_nothing(tmp_path):
    folder = write_folder(tmp_path)

    assert "Dry run: nothing was written." in imported(folder, "--dry-run")
    assert not Dataset.objects.exists()
    imported(folder)
    before = set(Trace.objects.values_list("pk", "content_hash"))
    imported(folder)
    assert set(Trace.objects.values_list("pk", "content_hash")) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("stopped_at", "words", "datasets"),
    [
        ("read_files", "nothing was written", []),
        ("store_published", "the same command stores its questions", ["EgoErrorVQA"]),
    ],
)
def test_stopped_import_says_what_is_left_and_the_same_command_goes_on(
    tmp_path, monkeypatch, stopped_at, words, datasets
):
    folder = write_folder(tmp_path)

    def stop(*args, **options):
        os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patched:
        patched.setattr(f"benchmarks.management.commands.questions.{stopped_at}", stop)
        with pytest.raises(CommandError, match=words):
            imported(folder)

    assert [item.name for item in Dataset.objects.all()] == datasets
    assert not QuestionSet.objects.exists()

    imported(folder)
    assert QuestionSet.objects.get().question_count


def test_answer_that_is_not_that_of_its_labels_is_refused(tmp_path):
    row = cook(0, "Order Error", close_end_answer=["Wrong object"])

    with pytest.raises(CommandError, match=r"'Wrong object'.*expected Wrong order by its labels"):
        imported(write_folder(tmp_path, captaincook4d=[row]))

    assert not Dataset.objects.exists()


def test_the_upload_refuses_such_an_answer_as_the_command_does(tmp_path):
    row = cook(0, "Order Error", close_end_answer=["Wrong object"])
    chosen = available_formats()["egoerrorvqa"]

    with pytest.raises(FormatError, match="expected Wrong order by its labels"):
        read_files(chosen, write_folder(tmp_path, captaincook4d=[row]))


def test_label_without_a_class_is_refused(tmp_path):
    row = oops(0, True, error_labels=["daydreaming"])

    with pytest.raises(CommandError, match=r"recording egooops:S1700000, row 1: .*daydreaming"):
        imported(write_folder(tmp_path, egooops=[row]))


def lines_of(client, address):
    """The lines of a file of questions."""
    text = b"".join(client.get(address).streaming_content).decode()
    return [json.loads(line) for line in text.splitlines()]


def oops_data_set(folder, owner, rows):
    """The data set of EgoOops that these rows were taken from, named EgoOops."""
    segments = [
        {
            "startTime": row["start_time"], "endTime": row["end_time"],
            "instruction": row["instruction"], "labels": [5] if row["is_error"] else [],
            "caption": row["error_caption"] or "",
        }
        for row in rows
    ]  # fmt: skip
    meta = {
        "instructions": {"ion": ["Pour drop 0", "Pour drop 1", "Pour drop 2"]},
        "videos": [{"video_id": "S1700000", "task_id": "ion", "segments": segments}],
    }
    (folder / "metadata.json").write_text(json.dumps(meta))
    target = ImportTarget("EgoOops", "egooops", owner, is_shared=False)
    import_reading(egooops.read(folder / "metadata.json"), target=target)


def test_rows_are_found_in_the_data_set_that_they_are_of(tmp_path, owner):
    rows = [oops(0), oops(1), oops(2, True)]
    oops_data_set(tmp_path, owner, rows)
    folder = tmp_path / "files"
    folder.mkdir()

    said = imported(write_folder(folder, egooops=rows), "--owner", "owner")
    assert "EgoOops: 3 of 3 rows are there once, with the same labels" in said

    rows[0]["end_time"] += 0.5
    said = imported(write_folder(folder, egooops=rows), "--owner", "owner", "--dry-run")
    assert "EgoOops: 2 of 3 rows" in said
    assert "recording egooops:S1700000, row 1: 0 rows with its step and times" in said


def test_pairs_keep_the_row_that_they_were_taken_from_and_tell_when_it_changes(
    tmp_path, owner, owner_client
):
    rows = [oops(0), oops(1), oops(2, True)]
    oops_data_set(tmp_path, owner, rows)
    folder = tmp_path / "files"
    folder.mkdir()
    imported(write_folder(folder, egooops=rows), "--owner", "owner")

    stored = QuestionSet.objects.get()
    kept = stored.questions.exclude(source_row={}).order_by("position")
    source = Dataset.objects.get(name="EgoOops")
    found = {(one.sample, one.source_row["place"]) for one in kept}
    assert {row["dataset"] for row in kept.values_list("source_row", flat=True)} == {
        source.public_id
    }
    assert {sample.rpartition("#")[2]: place for sample, place in found} == {"0": 0, "1": 1, "2": 2}
    # Of the other three sources no data set is there.
    others = stored.questions.filter(source_row={})
    assert "egooops" not in {one["source"] for one in others.values_list("groups", flat=True)}
    page = f"/benchmarks/questions/{stored.public_id}/"
    shown = owner_client.get(page, {"questions-q": "S1700000"}).content.decode()
    trace = Trace.objects.get(dataset=source)
    assert f"/traces/{trace.public_id}/" in shown
    assert "EgoOops, S1700000, row 1" in shown
    assert "Guessers are trained when the set is frozen." in shown
    api = f"/api/v1/question-sets/{stored.public_id}/"
    given = owner_client.get(f"{api}questions/?page_size=200").json()["results"]
    linked = {one["position"]: one["source"] for one in given if one["source"]}
    assert linked == {
        one.position: {
            "dataset": "EgoOops",
            "recording": "trace:S1700000",
            "public_id": trace.public_id,
            "row": one.source_row["place"] + 1,
        }
        for one in kept
    }
    for file in (f"{api}download/", f"{page}questions.jsonl"):
        assert lines_of(owner_client, file) == given

    mistaken = TraceStep.objects.get(trace=trace, index=2)
    mistaken.labels = []
    mistaken.save()
    with pytest.raises(CommandError, match="recording S1700000 of EgoOops, row 3 has other labels"):
        questions("freeze", stored.public_id)
    stored.refresh_from_db()
    assert not stored.is_frozen
    # Where its owner may no longer read it, nothing says otherwise, and nothing leads there.
    Dataset.objects.filter(pk=source.pk).update(owner=UserFactory())
    assert "row 1" not in owner_client.get(page).content.decode()
    assert not any(one["source"] for one in lines_of(owner_client, f"{api}download/"))
    questions("freeze", stored.public_id)
    stored.refresh_from_db()
    assert stored.is_frozen


LEAK = "stirred-wrongly"


def test_nobody_who_is_asked_or_reads_learns_the_row_that_a_pair_was_taken_from(
    tmp_path, owner, client
):
    rows = [oops(0), oops(1), oops(2, True)]
    oops_data_set(tmp_path, owner, rows)
    folder = tmp_path / "files"
    folder.mkdir()
    imported(write_folder(folder, egooops=rows), "--owner", "owner")
    stored, source = QuestionSet.objects.get(), Dataset.objects.get(name="EgoOops")
    for row in stored.questions.exclude(source_row={}):
        row.source_row |= {"recording": f"trace:{LEAK}", "dataset": source.public_id}
        row.save()
    Dataset.objects.filter(pk=source.pk).update(name=LEAK)
    Trace.objects.filter(dataset=source).update(uid=LEAK)
    reader = UserFactory(username="reader")
    review = start_review(question_set=stored, request=ReviewRequest("Review", 1), actor=owner)
    add_raters(campaign=review.campaign, raters=[reader], actor=owner)
    open_text_round(planned=review, actor=owner)
    client.force_login(reader)
    read = [client.get("/queue/").content, client.get("/api/v1/text-verdicts/").content]
    for own in TextVerdict.objects.filter(person=reader):
        read += [client.get(f"/texts/{own.public_id}/").content]
        read += [client.get(f"/api/v1/text-verdicts/{own.public_id}/").content]
        give_verdict(public_id=own.public_id, sent=SentVerdict("accept"), actor=reader)
    close_round(closing=review, actor=owner)
    stored.refresh_from_db()
    finish_review(question_set=stored, actor=owner)
    stored = questions_frozen(stored, owner)
    # What it was made of may change afterwards; the set stays as it is.
    fields = {"source": stored.public_id, "settings": {"pairs": "all"}, "is_shared": True}
    asked = frozen_set(stored.dataset, owner, "error_questions", **fields)
    client.force_login(UserFactory(role=Role.RESEARCHER))
    page, api = f"/benchmarks/sets/{asked.public_id}/", f"/api/v1/item-sets/{asked.public_id}/"
    read += [client.get(address).content for address in (page, api, f"{api}items/")]
    for which in ("items", "template-csv", "shortcuts"):
        read += client.get(f"{api}download/{which}/").streaming_content
    for item in asked.test_items:
        read += [client.get(f"{start}items/{item.key}/").content for start in (page, api)]
        prompt = task_of(asked).prompt(engine_item(item, with_truth=False), ())
        read += [f"{prompt.system} {prompt.text} {prompt.schema}".encode()]

    assert len(read) > 2 * stored.question_count
    for told in (LEAK, source.public_id, "EgoOops"):
        assert told.encode() not in b"".join(read)


def test_imported_rows_are_items_with_the_published_procedure_and_figures_by_source(
    tmp_path, owner
):
    imported(write_folder(tmp_path), "--owner", "owner")
    dataset = Dataset.objects.get(name="EgoErrorVQA")

    made = made_set(dataset, owner, "error_types", name="Made")

    item = made.items.filter(groups__source="egooops").first()
    assert item.payload["procedure"] == ["Pour a drop. Wipe the table."]
    assert made.items.count() == 40
    sent = json.dumps([[row.payload, row.question, row.choices] for row in made.items.all()])
    for hidden in ("Stir fast", "spills it", "worng order", "answer: ", "egooops", "captaincook4d"):
        assert hidden not in sent
    frozen = frozen_set(dataset, owner, "error_types", name="Frozen")
    sources = Figure.objects.filter(assessment__item_set=frozen, group="source")
    assert len({*sources.values_list("group_value")}) == 4


def test_question_pairs_become_a_question_set_that_can_be_frozen_and_asked(tmp_path, owner):
    said = imported(write_folder(tmp_path), "--owner", "owner")

    stored = QuestionSet.objects.get()
    assert f"{stored.public_id} EgoErrorVQA v1: 80 questions, not frozen" in said
    assert (stored.question_count, stored.written_by) == (80, "EgoErrorVQA")
    assert stored.questions.count() == 80
    assert not stored.questions.filter(sample__contains="#alone-").exists()
    by_class = Counter(
        (row["classes"][0], row["kind"], row["polarity"])
        for row in stored.questions.values("classes", "kind", "polarity")
    )
    assert by_class["correct", "confirm", "yes"] == 60
    assert by_class["Wrong order", "detect", "yes"] == 12
    questions("freeze", stored.public_id)
    stored.refresh_from_db()
    assert stored.is_frozen
    asked = frozen_set(None, owner, "error_questions", source=stored.public_id)
    assert asked.item_count == 40
    sources = {row["source"] for row in asked.items.values_list("groups", flat=True)}
    assert sources == {"captaincook4d", "egooops", "epic_tent", "assembly101"}
    prose = asked.items.filter(groups__source="egooops").first().payload["procedure"]
    assert prose == ["Pour a drop. Wipe the table."]


def test_pairs_of_a_step_that_multiple_choice_lacks_are_kept_as_a_step_of_their_own(tmp_path):
    folder = write_folder(tmp_path)
    file = folder / "json" / "epic_tent_qa_pair.json"
    rows = json.loads(file.read_text())
    other = {**tent(20, "0"), "qa_pairs": [{"question": "What broke?", "answer": "The pole."}]}
    file.write_text(json.dumps([*rows, other]))

    imported(folder)

    stored = QuestionSet.objects.get()
    [row] = stored.questions.filter(sample__contains="#alone-")
    assert (row.question, row.kind, row.classes) == ("What broke?", "explain", ["Wrong action"])
    assert row.about["procedure"] == ["Unfold the tent and place its pegs."]
    questions("freeze", stored.public_id)
    stored.refresh_from_db()
    assert stored.question_count == 81


def questions(*words):
    out = io.StringIO()
    call_command("questions", *words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_set_is_made_frozen_and_listed(sample, owner):
    said = questions("make", "Everyday", "--name", "Mistakes", "--owner", "owner", "--pairs", "1")

    made = QuestionSet.objects.get()
    assert f"{made.public_id} Mistakes v1: {made.question_count} questions" in said
    assert "mistake by Words of the question: F1" in said
    assert "is frozen" in questions("freeze", made.public_id)
    assert f"about {sample.name}, frozen" in questions("list")
    with pytest.raises(CommandError, match="There is no question set 'none'"):
        questions("freeze", "none")
    with pytest.raises(CommandError, match="You have no data set 'none'"):
        questions("make", "none", "--name", "Mistakes")
