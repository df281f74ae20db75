"""What the endpoints of the segment page answer, word by word."""

import json

import pytest
from rest_framework.test import APIClient

from annotation.services.ratings.viewing import opened_token
from segments.engine.model import FIELDS
from segments.formats.exchange import segment_formats
from segments.models import Segmentation, SegmentViewing
from segments.selectors.segmentations import content_of_recording
from tests.clocks import stop_clock
from tests.factories import StepFactory, TraceFactory, VideoFactory
from tests.segments.segmenting import answer, close, make_segmentation, piece

pytestmark = pytest.mark.django_db
COLUMNS = list(FIELDS)


class Tab:
    """A browser tab of the person of a segmentation."""

    def __init__(self, own):
        self.own = own
        self.client = APIClient()
        self.client.force_authenticate(own.person)

    def get(self, path=""):
        answer = self.client.get(f"/api/v1/segmentations/{self.own.public_id}/{path}")
        return answer.status_code, answer.json()

    def list(self):
        answer = self.client.get("/api/v1/segmentations/")
        return answer.status_code, answer.json()

    def post(self, path, **body):
        address = f"/api/v1/segmentations/{self.own.public_id}/{path}/"
        answer = self.client.post(address, body, format="json")
        return answer.status_code, answer.json() if answer.content else None

    def save(self, *gestures, **more):
        return self.post("gestures", client_id="tab", gestures=gestures, **more)


def gesture(sequence, *changes, name="draw", **more):
    made_at = "2026-01-01T00:00:00Z"
    return {"sequence": sequence, "name": name, "made_at": made_at, "changes": changes, **more}


def drawn(key, start_s, end_s, **content):
    values = {"track": "steps", "start_s": start_s, "end_s": end_s, **content}
    return {"key": key, "base_revision": 0, "insert": values}


def put(key, base_revision, **values):
    return {"key": key, "base_revision": base_revision, "set": values}


def row(*values):
    """Return a segment as a row: (key, start, end, step, text, revision), all else empty."""
    key, start_s, end_s, step_id, text, revision = values
    return [key, "steps", start_s, end_s, step_id, "", text, "", "", False, False, False, revision]


def test_everything_of_a_recording_and_nothing_of_its_source():
    own = make_segmentation(
        scheme="partition", stage="audit", proposals=[piece("a", 0, 10, step_id="1")]
    )
    own.recording.proposal_source = "model-x"
    own.recording.save()
    answer(own, ("a", 1, "accurate", False))

    code, body = Tab(own).get()

    take = own.recording.take
    assert code == 200
    assert body["segments"] == {"columns": COLUMNS, "rows": [row("a", 0, 10, "1", "", 1)]}
    assert body["checks"] == [
        {"key": "a", "segment_revision": 1, "question": "accurate", "answer": False, "note": ""}
    ]
    assert {name: body[name] for name in ("id", "status", "head", "stage", "can_edit")} == {
        "id": own.public_id, "status": "open", "head": 1, "stage": "audit", "can_edit": True,
    }  # fmt: skip
    assert (body["title"], body["scenario"]) == ("Recording 1 of 1", take.scenario)
    assert body["content"] == content_of_recording(own.recording)
    assert (body["duration_s"], body["rate"]) == (10.0, None)
    assert "not known yet" in body["rate_note"]
    assert body["procedure"] == [
        {"step_id": step, "text": f"Do {step}", "is_essential": None} for step in "123"
    ]
    assert [item["name"] for item in body["scheme"]["questions"]] == [
        "accurate", "specific", "complete",
    ]  # fmt: skip
    assert body["guideline"] == {"name": "1", "text": "Look."}
    assert body["media"]["url"].startswith("/video/")
    told = str(body)
    for hidden in ("model-x", take.uid, take.public_id, take.dataset.name, take.name):
        assert hidden not in told, hidden
    assert "return" not in body["urls"]


def test_gestures_are_answered_with_the_rows_that_changed():
    tab = Tab(make_segmentation())

    first = tab.save(gesture(1, drawn("a", 0, 2), raw_time_s=2.2), gesture(2, drawn("b", 2, 4)))
    second = tab.save(gesture(3, put("b", 1, step_id="2"), name="label"))

    assert first == (
        200,
        {
            "saved": [1, 2],
            "head": 2,
            "segments": {
                "columns": COLUMNS,
                "rows": [row("a", 0, 2, "", "", 1), row("b", 2, 4, "", "", 1)],
            },
            "status": "open",
        },
    )
    assert second[1]["segments"]["rows"] == [row("b", 2, 4, "2", "", 2)]


def test_a_conflict_names_the_gesture_what_it_made_and_what_is_there():
    tab = Tab(make_segmentation())
    tab.save(gesture(1, drawn("a", 0, 2)), gesture(2, put("a", 1, text="stir")))

    code, body = tab.save(gesture(3, drawn("b", 2, 3)), gesture(4, put("a", 1, text="pour")))

    assert (code, body["code"], body["saved"], body["sequence"]) == (409, "conflict", [3], 4)
    assert [item["text"] for item in (*body["mine"], *body["theirs"])] == ["pour", "stir"]
    assert body["detail"] == "draw: changed meanwhile: a"


def test_what_cannot_be_is_named():
    tab = Tab(make_segmentation())

    code, body = tab.save(gesture(1, drawn("a", 0, 2)), gesture(2, drawn("b", 4, 3)))

    assert (code, body) == (
        400,
        {
            "code": "invalid",
            "detail": "segment b, end_s is 3; expected a time not before the start, 4",
            "sequence": 2,
            "key": "b",
            "field": "end_s",
            "value": 3,
            "expected": "a time not before the start, 4",
        },
    )
    assert tab.get()[1]["segments"]["rows"] == []


@pytest.mark.parametrize(
    ("faulty", "named"),
    [
        ({"gestures": []}, {"gestures"}),
        ({"gestures": [{"sequence": 1}]}, {"gestures"}),
        ({"gestures": [gesture(-1, drawn("a", 0, 1))]}, {"gestures"}),
        ({"gestures": [gesture(1)]}, {"gestures"}),
        ({"gestures": [gesture(1, drawn("a", 0, 1), raw_time_s=-1)]}, {"gestures"}),
        ({"gestures": [gesture(1, drawn("a", 0, 1)) | {"made_at": "2999-01-01T00:00:00Z"}]},
         {"gestures"}),
        ({"gestures": [gesture(1, drawn("a", 0, 1))], "hurry": True}, {"hurry"}),
    ],
)  # fmt: skip
def test_a_body_that_is_no_save_is_refused_by_field(faulty, named):
    code, body = Tab(make_segmentation()).post("gestures", **{"client_id": "tab", **faulty})

    assert (code, set(body)) == (400, named)


def test_answers_are_answered_with_what_stands_for_their_segments():
    own = make_segmentation(scheme="partition", stage="audit", proposals=[piece("a", 0, 10)])
    check = {
        "sequence": 1, "key": "a", "segment_revision": 1, "question": "accurate", "answer": True,
        "note": "clear", "made_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip

    code, body = Tab(own).post("checks", client_id="tab", checks=[check])

    standing = {name: check[name] for name in ("key", "segment_revision", "question", "answer")}
    assert (code, body) == (200, {"saved": [1], "checks": [standing | {"note": "clear"}]})


def test_an_answer_about_another_revision_is_a_conflict():
    own = make_segmentation(scheme="partition", stage="audit", proposals=[piece("a", 0, 10)])
    check = {
        "sequence": 1, "key": "a", "segment_revision": 2, "question": "accurate", "answer": True,
        "made_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip

    code, body = Tab(own).post("checks", client_id="tab", checks=[check])

    assert (code, body["code"], body["saved"], body["sequence"]) == (409, "conflict", [], 1)
    assert [item["revision"] for item in body["theirs"]] == [1]


def test_what_is_left_stops_submitting():
    own = make_segmentation(scheme="partition", stage="correct", proposals=[piece("a", 0, 9)])
    own.recording.take.steps.all().delete()

    code, body = Tab(own).post("submit")

    assert (code, body["code"], body["detail"]) == (
        409, "incomplete", "2 faults and 3 open questions left",
    )  # fmt: skip
    assert [fault["kind"] for fault in body["faults"]] == ["gap", "no step"]
    assert body["unanswered"][0] == {"key": "a", "question": "accurate"}


def test_submit_reopen_reject():
    tab = Tab(make_segmentation(scheme="onset", steps=()))

    assert tab.post("submit") == (200, {"status": "submitted"})
    assert tab.post("reopen") == (200, {"status": "open"})
    assert tab.post("reject", reason="quality", note="Dark") == (200, {"status": "rejected"})
    assert tab.post("reject", reason="boring")[0] == 400
    code, body = tab.save(gesture(1, drawn("a", 0, 0)))
    assert (code, body["code"], body["saved"]) == (409, "submitted", [])


def test_a_closed_round_says_so_and_still_shows_everything():
    own = make_segmentation()
    tab = Tab(own)
    tab.save(gesture(1, drawn("a", 0, 2)))
    close(own)

    code, body = tab.save(gesture(2, drawn("b", 2, 3)))

    assert (code, body["code"], body["detail"]) == (409, "closed", "this round is closed")
    shown = tab.get()[1]
    assert (shown["is_closed"], shown["can_edit"]) == (True, False)
    assert len(shown["segments"]["rows"]) == 1


def test_a_replaced_recording_says_so():
    own = make_segmentation()
    tab = Tab(own)
    content = tab.get()[1]["content"]
    own.recording.take.content_hash = "another"
    own.recording.take.save()

    code, body = tab.save(gesture(1, drawn("a", 0, 2)), content=content)

    assert (code, body["code"]) == (409, "replaced")
    shown = tab.get()[1]
    assert (shown["is_replaced"], shown["can_edit"], shown["content"]) == (True, False, content)
    assert tab.post("carry-over") == (200, {"status": "open"})
    content = tab.get()[1]["content"]
    assert tab.save(gesture(1, drawn("a", 0, 2)), content=content)[0] == 200


def test_the_history_goes_back_by_pages_and_to_every_moment():
    tab = Tab(make_segmentation(proposals=[piece("p", 0, 1)]))
    for number in range(1, 4):
        tab.save(gesture(number, drawn(f"k{number}", number, number + 1), name=f"draw {number}"))

    code, body = tab.get("history/?before=4")

    assert code == 200
    assert [(item["head"], item["name"], item["keys"], item["key_count"]) for item in body] == [
        (3, "draw 2", ["k2"], 1), (2, "draw 1", ["k1"], 1), (1, "begin", ["p"], 1),
    ]  # fmt: skip
    assert [item["head"] for item in tab.get("history/")[1]] == [4, 3, 2, 1]
    assert tab.get("history/2/") == (
        200,
        {
            "head": 2,
            "segments": {
                "columns": COLUMNS,
                "rows": [row("p", 0, 1, "", "", 1), row("k1", 1, 2, "", "", 1)],
            },
        },
    )
    assert tab.get("history/5/")[0] == 404
    assert tab.get("history/?before=soon") == (
        400, {"before": ["'soon'; expected the number of a gesture."]},
    )  # fmt: skip
    assert tab.get("history/?before=9999999999") == tab.get("history/")
    assert tab.get(f"history/?before={'9' * 5000}")[0] == 400


def test_of_a_gesture_over_everything_the_history_names_some():
    tab = Tab(make_segmentation(proposals=[piece(f"p{i:02}", i, i + 1) for i in range(30)]))
    tab.get()

    [begun] = tab.get("history/")[1]

    assert (len(begun["keys"]), begun["key_count"]) == (20, 30)


def test_of_a_trace_the_reference_comes_stretched_and_the_trace_is_what_plays():
    own = make_segmentation(steps=())
    take = own.recording.take
    StepFactory(take=take, index=0, step_id="1", text="Pour", start_s=1, end_s=2.5)
    trace = TraceFactory(dataset=take.dataset, take=take)
    trace.video = VideoFactory(dataset=take.dataset, duration_s=20)
    trace.save()
    own.recording.trace = trace
    own.recording.save()

    body = Tab(own).get()[1]

    assert body["duration_s"] == 20
    assert body["reference"] == [{"step_id": "1", "text": "Pour", "start_s": 2.0, "end_s": 5.0}]


def test_of_a_take_of_its_own_no_times_are_told():
    own = make_segmentation(steps=())
    StepFactory(take=own.recording.take, index=0, step_id="1", start_s=1, end_s=2.5)

    body = Tab(own).get()[1]

    assert body["reference"] == []
    assert all("start_s" not in step for step in body["procedure"])


@pytest.mark.parametrize("count", [1, 3])
def test_ones_own_are_listed_at_one_price(count, django_assert_num_queries):
    own = make_segmentation()
    for _ in range(count - 1):
        make_segmentation(person=own.person)
    make_segmentation()

    with django_assert_num_queries(2):
        code, body = Tab(own).list()

    assert (code, body["count"]) == (200, count)
    assert body["results"][0] == {
        "id": own.public_id, "campaign": own.round.campaign.public_id,
        "campaign_name": own.round.campaign.name, "round": own.round.public_id,
        "stage": "label", "position": 0, "scenario": own.recording.take.scenario,
        "status": "open", "head": 0, "is_closed": False,
    }  # fmt: skip


# What was watched


def report(own, *spans, **changed):
    content = content_of_recording(own.recording)
    opened = opened_token(own.public_id, own.person)
    return {
        "opened": opened, "content": content, "at": "2026-01-01T00:00:00Z", "reference": [],
        "trace": [list(span) for span in spans], **changed,
    }  # fmt: skip


def test_what_was_watched_is_kept_as_far_as_it_can_be_true(monkeypatch):
    own = make_segmentation()
    stop_clock(monkeypatch)
    tab = Tab(own)

    assert tab.post("viewing", reports=[report(own, (0, 1), (1, 2.5), (9, 30))]) == (204, None)

    assert tab.get()[1]["watched"] == [[0, 2.5], [9, 10]]
    # Nobody has watched ten seconds in the moment since the page was opened.
    tab.post("viewing", reports=[report(own, (2.5, 9))])
    assert tab.get()[1]["watched"] == [[0, 2.5], [9, 10]]
    assert SegmentViewing.objects.get().refused_s == 6.5


def test_gestures_take_along_what_was_watched_and_are_never_held_up_by_it():
    own = make_segmentation()
    tab = Tab(own)

    first = tab.save(gesture(1, drawn("a", 0, 2)), viewing={"reports": [report(own, (0, 1))]})
    second = tab.save(gesture(2, drawn("b", 2, 3)), viewing={"reports": "none"})

    assert (first[0], second[0]) == (200, 200)
    assert tab.get()[1]["watched"] == [[0, 1]]


@pytest.mark.parametrize("change", [{"opened": "forged"}, {"content": "another"}])
def test_what_proves_nothing_is_left_out(change):
    own = make_segmentation()

    assert Tab(own).post("viewing", reports=[report(own, (0, 1), **change)])[0] == 204
    assert not SegmentViewing.objects.exists()


def test_a_token_of_another_page_proves_nothing():
    own, other = make_segmentation(), make_segmentation()
    opened = opened_token(other.public_id, other.person)

    Tab(own).post("viewing", reports=[report(own, (0, 1), opened=opened)])

    assert not SegmentViewing.objects.exists()


def test_reading_begins_it_once():
    own = make_segmentation(proposals=[piece("a", 0, 1)])
    tab = Tab(own)

    heads = [tab.get()[1]["head"] for _ in range(2)]

    assert heads == [1, 1]
    assert Segmentation.objects.get().started_at is not None


# Files


def exported(own, name):
    client = Tab(own).client
    return client.get(f"/api/v1/segmentations/{own.public_id}/export/?format={name}")


def test_ones_own_segments_as_a_file():
    own = make_segmentation(
        steps=("0", "1"), proposals=[piece("a", 0.5, 2.25, step_id="1"), piece("b", 3, 4)]
    )
    tab = Tab(own)
    tab.save(gesture(1, put("b", 1, is_deleted=True)))

    answer = exported(own, "egooops")

    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="segments-{own.public_id}.json"'
    assert json.loads(answer["X-Notes"]) == []
    assert json.loads(answer.content) == {
        "videos": [
            {
                "task_id": own.recording.take.scenario,
                "video_id": own.public_id,
                "segments": [
                    {"startTime": 0.5, "endTime": 2.25, "instruction": 1, "labels": [],
                     "caption": ""}
                ],
            }
        ],
        "instructions": {own.recording.take.scenario: ["Do 0", "Do 1"]},
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(segment_formats()))
def test_every_format_is_written_or_says_why_not_and_never_names_the_source(name):
    own = make_segmentation(proposals=[piece("a", 0.5, 2.25, step_id="1", text="Pour")])
    own.recording.proposal_source = "model-x"
    own.recording.save()

    answer = exported(own, name)

    text = answer.content.decode()
    take = own.recording.take
    for hidden in ("model-x", take.uid, take.public_id, take.dataset.name, own.person.username):
        assert hidden not in text, hidden
    if name == "label_studio":
        assert (answer.status_code, list(answer.json())) == (400, ["format"])
    else:
        assert answer.status_code == 200, text


def test_the_complete_format_says_everything():
    own = make_segmentation(proposals=[piece("a", 0.5, 2.25, step_id="1")])
    Tab(own).save(gesture(1, put("a", 1, is_deleted=True)))

    [recording] = json.loads(exported(own, "piev").content)["recordings"]

    assert (recording["head"], recording["scheme"], recording["guideline"]) == (2, "egooops", "1")
    assert [(item["key"], item["is_deleted"]) for item in recording["segments"]] == [("a", True)]


def test_an_unknown_format_is_refused_by_name():
    answer = exported(make_segmentation(), "word")

    assert answer.status_code == 400
    names = ", ".join(segment_formats())
    assert answer.json()["format"] == [f"'word'; expected one of {names}."]
