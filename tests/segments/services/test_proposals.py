"""Predictions from files: dry run, faults with their places, what is new, what stays."""

import csv
import io
import json

import pytest
from django.urls import reverse

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import AuditEntry
from annotation.services.campaigns.rounds import ProtocolError
from segments.api.proposals import ProposalReportSerializer
from segments.formats import table
from segments.formats.exchange import Settings
from segments.models import SegmentSource, Stage
from segments.selectors.segmentations import as_recording
from segments.services.export import segmented_recordings
from segments.services.pages import open_segments
from segments.services.proposals import Outcome, ProposalRequest, import_proposals
from segments.services.rounds import NewSegmentRound, open_segment_round, plan_segment_round
from segments.services.segmentations import begin
from tests.factories import VideoIngestFactory
from tests.segments.campaigns import audited, segment_campaign

pytestmark = pytest.mark.django_db
HEADER = "recording,track,key,start_s,end_s,step_id,text"


@pytest.fixture
def planned(owner):
    """Return a planned audit of predictions for three recordings."""
    campaign, _ = segment_campaign(owner)
    new = NewSegmentRound(stage=Stage.AUDIT, scheme="partition", source=SegmentSource.FILE)
    made, _ = plan_segment_round(campaign=campaign, new=new, actor=owner)
    return made


@pytest.fixture
def bring(planned, owner, tmp_path):
    """Return what brings rows of a table in."""

    def bring_in(*rows, is_dry_run=False, name="predictions.csv", header=HEADER):
        file = tmp_path / name
        file.write_text("\n".join([header, *rows]) + "\n")
        request = ProposalRequest(format="table", source="Model 7")
        return import_proposals(
            round_=planned, paths=[file], request=request, actor=owner, is_dry_run=is_dry_run
        )

    return bring_in


def stored(planned, uid):
    row = planned.recordings.get(take__uid=uid)
    keys = ("start_s", "end_s", "step_id", "text", "is_proposal")
    return [tuple(item[key] for key in keys) for item in row.proposals], row.proposal_source


WHOLE = (
    "take-0,steps,model7-1,0,4,s0,Boil",
    "take-0,steps,model7-2,4,10,s1,Pour",
    # By the name of the video, and a step by its words.
    "video-1,steps,model7-3,0,10,,boil  the WATER",
)


def test_a_dry_run_says_what_would_come_in_and_stores_nothing(bring, planned):
    report = bring(*WHOLE, "take-9,steps,x,0,1,s0,", is_dry_run=True)

    assert ProposalReportSerializer(report).data == {
        "new": 2, "same": 0, "differing": 0, "begun": 0,
        "recordings": [
            {
                "recording": uid, "outcome": "new", "segment_count": count,
                "geometry_faults": 0, "faults": [],
            }
            for uid, count in (("take-0", 2), ("video-1", 1))
        ],
        "not_in_round": ["take-9"], "without": 1, "notes": [],
    }  # fmt: skip
    assert stored(planned, "take-0") == ([], "")


def test_predictions_come_in_without_what_tells_their_source(bring, planned):
    bring(*WHOLE)

    assert stored(planned, "take-0") == (
        [(0.0, 4.0, "s0", "Boil", False), (4.0, 10.0, "s1", "Pour", False)], "Model 7",
    )  # fmt: skip
    # What named the step is no description of its own.
    assert stored(planned, "take-1") == ([(0.0, 10.0, "s0", "", False)], "Model 7")
    assert "model7" not in json.dumps([row.proposals for row in planned.recordings.all()])
    entry = AuditEntry.objects.get(action="round.import_proposals")
    assert (entry.detail["source"], entry.detail["new"]) == ("Model 7", 2)


def test_scores_go_into_the_files_of_the_round_and_to_nobody_who_works(
    bring, planned, owner, client
):
    header, scored = f"{HEADER},score", [f"{row},{place / 4}" for place, row in enumerate(WHOLE)]
    bring(*scored, header=header)
    assert bring(*scored, header=header).counts[Outcome.SAME] == 2
    assert bring(*WHOLE, is_dry_run=True).counts[Outcome.DIFFERING] == 2
    with pytest.raises(FormatError, match="line 2: score is 'high'; expected a number, or nothing"):
        bring(f"{WHOLE[0]},high", header=header)
    open_segment_round(planned=planned, actor=owner)
    own = planned.segmentations.get(recording__take__uid="take-0")

    shown = open_segments(own.person, own.public_id).payload
    client.force_login(own.person)
    answers = [
        client.get(reverse(f"api-segmentation{name}", args=[own.public_id]), asked)
        for name, asked in (("", {}), ("-history", {}), ("-export", {"format": "table"}))
    ]
    own.refresh_from_db()
    mine = "".join(table.lines([as_recording(own)], Settings()))
    audited(own)
    written = "".join(table.lines(segmented_recordings(planned), Settings()))

    assert "score" not in json.dumps(shown)
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert not any("0.25" in answer.getvalue().decode() for answer in answers)
    scores = [
        [row["score"] for row in csv.DictReader(io.StringIO(text))] for text in (mine, written)
    ]
    assert scores == [["", ""], ["0.0", "0.25"]]


def test_the_same_file_again_is_the_same_and_another_differs(bring):
    bring(*WHOLE)

    again = bring(*WHOLE)
    other = bring("take-0,steps,a,0,5,s0,Boil", "take-0,steps,b,6,11,s1,Pour", is_dry_run=True)

    assert again.counts[Outcome.SAME] == 2
    assert other.counts[Outcome.DIFFERING] == 1
    # A gap from 5 to 6, and an end beyond the ten seconds of the recording.
    assert other.recordings[0].geometry_faults == 2
    assert other.recordings[0].faults == (
        "beyond the end of the recording: 0:10.000 to 0:11.000",
        "gap: 0:05.000 to 0:06.000",
    )


def test_the_last_gap_is_named_that_the_frames_of_the_page_will_show(bring, planned):
    video = planned.recordings.get(take__uid="take-0").take.video
    VideoIngestFactory(video=video)

    [report] = bring("take-0,steps,a,0,9.94,s0,", is_dry_run=True).recordings

    # Two frames at 30 a second, and less than the tenth of a second of the scheme.
    assert report.faults == ("gap: 0:09.940 to 0:10.000",)


def test_a_recording_is_found_by_the_name_that_pages_show_for_it(bring, planned):
    take = planned.recordings.get(take__uid="take-0").take
    take.name = "Kitchen, first"
    take.save()

    bring('"Kitchen, first",steps,a,0,10,s0,')

    assert stored(planned, "take-0")[1] == "Model 7"


def test_every_fault_is_named_at_once_with_its_place(bring, planned):
    with pytest.raises(FormatError) as refused:
        bring(
            "take-0,steps,a,0,4,s7,",
            "take-0,steps,b,4,10,,Dance",
            "take-1,steps,c,0,5,s0,",
            "take-1,steps,d,5,10,s1,",
            "video-1,steps,e,0,1,s0,",
        )

    assert [str(item) for item in refused.value.problems] == [
        "predictions.csv, recording take-0, segment a: step_id is 's7'; expected a step of the"
        " procedure, by its id or its words, or -1 for none of them",
        "predictions.csv, recording take-0, segment b: step_id is 'Dance'; expected a step of the"
        " procedure, by its id or its words, or -1 for none of them",
        "predictions.csv, recording video-1: 'named before as take-1'; expected each recording"
        " of the round once",
    ]
    with pytest.raises(FormatError, match=r"predictions.csv, line 3: end_s is '2,5'"):
        bring("take-0,steps,a,0,4,s0,", 'take-0,steps,b,4,"2,5",s1,')
    with pytest.raises(FormatError, match=r"predictions.csv: recordings is 'take-9'; expected"):
        bring("take-9,steps,a,0,4,s0,")
    assert stored(planned, "take-0") == ([], "")


def test_recordings_that_the_files_lack_are_left_out_when_the_round_opens(bring, planned, owner):
    with pytest.raises(ProtocolError, match="has no recording to begin with"):
        open_segment_round(planned=planned, actor=owner)
    bring(*WHOLE)

    open_segment_round(planned=planned, actor=owner)

    uids = planned.recordings.values_list("take__uid", flat=True)
    assert sorted(uids) == ["take-0", "take-1"]


def test_what_somebody_has_begun_stays(bring, planned, owner):
    bring(*WHOLE)
    open_segment_round(planned=planned, actor=owner)
    own = planned.segmentations.get(recording__take__uid="take-0")
    begin(public_id=own.public_id, actor=own.person)
    before = stored(planned, "take-0")

    report = bring("take-0,steps,a,0,10,s0,", "take-1,steps,a,0,9,s0,")

    assert [item.outcome.value for item in report.recordings] == ["begun", "differing"]
    assert stored(planned, "take-0") == before
    assert stored(planned, "take-1")[0] == [(0.0, 9.0, "s0", "", False)]


def test_a_round_without_a_file_takes_none(owner, tmp_path):
    campaign, _ = segment_campaign(owner)
    new = NewSegmentRound(stage=Stage.LABEL, scheme="egooops")
    made, _ = plan_segment_round(campaign=campaign, new=new, actor=owner)
    request = ProposalRequest(format="table", source="Model 7")
    with pytest.raises(ProtocolError, match="does not begin with a file"):
        import_proposals(round_=made, paths=[tmp_path], request=request, actor=owner)
