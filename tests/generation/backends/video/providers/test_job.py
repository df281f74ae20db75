"""The loop of submitting, asking and fetching: pauses, limits, repeats and cancelling."""

from contextlib import closing

import pytest

from generation.backends.exceptions import (
    CancelledError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
)
from generation.backends.video.providers import job as job_module
from generation.backends.video.providers.exceptions import (
    DownloadError,
    JobFailedError,
    JobTimeoutError,
    MalformedAnswerError,
    ModerationError,
    QuotaSpentError,
    UnclearSubmissionError,
    UnreachableError,
)
from generation.backends.video.providers.job import Ending, Job
from generation.backends.video.providers.provider import JobPhase
from generation.backends.video.providers.transport import FULL_PAUSE_S, Transport
from tests.fakes.video_provider_server import DONE, FILE_PATH, JOB, TAKE, WAIT


def make(stage, folder, **changes):
    return stage.backend(**changes).make_clip(stage.request(), folder / "clip.mp4")


def test_pauses_between_polls_grow_up_to_the_longest(seedance, tmp_path):
    seedance.server.polls = [*[WAIT] * 9, DONE]

    make(seedance, tmp_path)

    # 2 s growing by a quarter, cut at 10 s.
    expected = 2 + 2.5 + 3.125 + 3.90625 + 4.8828125 + 6.103515625 + 7.62939453125
    assert sum(seedance.clock.slept) == pytest.approx(expected + 9.5367431640625 + 10 + 10)


def test_endless_job_is_left_at_the_limit_and_can_be_resumed(seedance, tmp_path):
    seedance.server.polls = [WAIT]

    with pytest.raises(JobTimeoutError, match="not done within 1800 s") as caught:
        make(seedance, tmp_path)

    assert caught.value.job_id == JOB
    assert 1780 < seedance.clock.now_s <= 1800


def test_limit_of_a_job_is_the_endpoints(seedance, tmp_path):
    seedance.server.polls = [WAIT]

    with pytest.raises(JobTimeoutError, match="not done within 60 s"):
        make(seedance, tmp_path, job_limit_s=60.0)

    assert 50 < seedance.clock.now_s <= 60


@pytest.mark.parametrize(
    ("act", "error"),
    [
        ({"do": "status", "status": 503}, ServerFailedError),
        ({"do": "status", "status": 429}, RateLimitedError),
        ({"do": "limit", "retry_after": 40}, RateLimitedError),
    ],
    ids=str,
)
def test_submission_that_was_surely_not_taken_may_be_sent_again(seedance, act, error, tmp_path):
    seedance.server.submissions = [act]

    with pytest.raises(error) as caught:
        make(seedance, tmp_path)

    assert caught.value.retry_after_s == act.get("retry_after")
    assert (len(seedance.server.submitted), seedance.noted) == (1, [])


@pytest.mark.parametrize(
    "act",
    [{"do": "hang_up"}, {"do": "status", "status": 500}, {"do": "take", "latency_s": 30}],
    ids=str,
)
def test_submission_that_may_have_been_taken_is_not_paid_twice(seedance, act, tmp_path):
    seedance.server.submissions = [act, TAKE]

    with pytest.raises(UnclearSubmissionError, match="may be running"):
        # Answers that come have time to come.
        make(seedance, tmp_path, answer_timeout_s=1 if "latency_s" in act else 60)

    assert seedance.server.count_of(seedance.server.submitted, 1) == 1


def test_unreachable_address_is_reported(seedance, tmp_path):
    with pytest.raises(UnreachableError, match="no connection"):
        make(seedance, tmp_path, base_url="http://127.0.0.1:9")


@pytest.mark.parametrize(
    "act", [{"do": "hang_up"}, {"do": "status", "status": 500}, {"do": "limit"}], ids=str
)
def test_poll_that_fails_is_repeated_because_it_costs_nothing(seedance, act, tmp_path):
    seedance.server.polls = [act, act, DONE]

    make(seedance, tmp_path)

    assert (len(seedance.server.submitted), seedance.server.poll_count) == (1, 3)


def test_retry_after_of_a_poll_is_waited_for(seedance, tmp_path):
    seedance.server.polls = [{"do": "limit", "retry_after": 90}, DONE]

    make(seedance, tmp_path)

    assert seedance.clock.now_s == pytest.approx(2 + 90)


def test_polls_that_fail_in_a_row_end_the_job(seedance, tmp_path):
    seedance.server.polls = [{"do": "status", "status": 502}]

    with pytest.raises(ServerFailedError, match="HTTP 502"):
        make(seedance, tmp_path)

    assert seedance.server.poll_count == job_module.MOST_FAILED_POLLS


def test_unknown_status_word_is_not_waited_for(seedance, tmp_path):
    document = {"id": JOB, "status": "daydreaming"}
    seedance.server.polls = [{"do": "say", "document": document}]

    with pytest.raises(MalformedAnswerError, match="'daydreaming'; expected one of cancelled, "):
        make(seedance, tmp_path)


def test_job_that_somebody_cancelled_at_the_provider_failed(seedance, tmp_path):
    seedance.server.polls = [{"do": "say", "document": {"id": JOB, "status": "cancelled"}}]

    with pytest.raises(JobFailedError, match="was cancelled at the provider"):
        make(seedance, tmp_path)


def test_job_that_is_not_wanted_any_more_is_left_soon(stage, tmp_path):
    stage.server.polls = [WAIT]
    stage.is_cancelled = lambda: stage.clock.now_s > 20

    with pytest.raises(CancelledError):
        make(stage, tmp_path)

    assert 20 < stage.clock.now_s <= 20 + job_module.LOOK_S
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "act", "ending", "told"),
    [
        ("seedance", {"do": "wait"}, Ending(was_ended=True), ["GET", "DELETE"]),
        ("runway", {"do": "wait"}, Ending(was_ended=True), ["GET", "DELETE"]),
        ("runway", {"do": "wait", "word": 1}, Ending(was_ended=True), ["GET", "DELETE"]),
        # One that runs is paid for: ending it would only lose its clip.
        ("runway", {"do": "wait", "word": 2}, Ending(), ["GET"]),
        ("seedance", {"do": "wait", "word": 1}, Ending(), ["GET"]),
        ("kling", {"do": "wait"}, Ending(), ["GET"]),
        ("openrouter", {"do": "wait"}, Ending(), ["GET"]),
        ("openai_videos", {"do": "wait"}, Ending(), ["GET"]),
        ("runway", {"do": "hang_up"}, Ending(), ["GET"]),
    ],
    ids=str,
)
def test_job_is_ended_where_that_saves_its_price(stage_of, name, act, ending, told):
    stage = stage_of(name)
    stage.server.polls = [act]
    backend = stage.backend()

    with closing(Transport(backend.adapter, backend.settings)) as transport:
        assert Job(transport, backend.watch).end(JOB) == ending

    assert [asked.method for asked in stage.server.asked] == told


@pytest.mark.parametrize("name", ["runway", "seedance"])
@pytest.mark.parametrize("do", ["done", "failed", "refused"])
def test_job_that_is_over_is_never_deleted(stage_of, name, do):
    stage = stage_of(name)
    stage.server.polls = [{"do": do}]
    backend = stage.backend()

    with closing(Transport(backend.adapter, backend.settings)) as transport:
        ending = Job(transport, backend.watch).end(JOB)

    assert ending.report.phase == (JobPhase.DONE if do == "done" else JobPhase.FAILED)
    assert (ending.was_ended, stage.server.deleted) == (False, set())


@pytest.mark.parametrize("name", ["runway", "seedance"])
def test_job_that_was_ended_elsewhere_is_left(stage_of, name):
    stage = stage_of(name)
    stage.server.deleted.add("another")
    backend = stage.backend()

    with closing(Transport(backend.adapter, backend.settings)) as transport:
        assert Job(transport, backend.watch).end("another") == Ending()


def test_clip_that_was_never_wanted_is_not_ordered(seedance, tmp_path):
    seedance.is_cancelled = lambda: True

    with pytest.raises(CancelledError):
        make(seedance, tmp_path)

    assert seedance.server.asked == []


def test_download_is_stopped_when_the_clip_is_not_wanted_any_more(seedance, tmp_path):
    seedance.server.downloads = [{"do": "endless", "count": 400}]
    seedance.is_cancelled = lambda: any("files" in asked.path for asked in seedance.server.asked)

    with pytest.raises(CancelledError):
        make(seedance, tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "act", [{"do": "cut_off"}, {"do": "status", "status": 503}, {"do": "early"}], ids=str
)
def test_download_that_breaks_is_repeated(seedance, act, tmp_path):
    seedance.server.downloads = [act, {"do": "file"}]

    made = make(seedance, tmp_path)

    assert (made.frame_count, len(seedance.server.submitted)) == (30, 1)


def test_missing_file_is_reported(seedance, tmp_path):
    seedance.server.downloads = [{"do": "status", "status": 404}]

    with pytest.raises(DownloadError, match="HTTP 404 for the clip's file"):
        make(seedance, tmp_path)


def test_file_that_is_never_ready_can_be_asked_for_again(seedance, tmp_path):
    seedance.server.downloads = [{"do": "early"}]

    with pytest.raises(ServerFailedError, match="HTTP 400 for the clip's file: it is not ready"):
        make(seedance, tmp_path)

    assert len(seedance.server.submitted) == 1
    assert sum(asked.path == FILE_PATH for asked in seedance.server.asked) == 5


def test_job_whose_clip_is_not_ready_is_polled_again(seedance, tmp_path):
    seedance.server.polls = [{"do": "early"}, DONE]

    make(seedance, tmp_path)

    assert (len(seedance.server.submitted), seedance.server.poll_count) == (1, 2)


def test_pause_in_milliseconds_is_waited_for(seedance, tmp_path):
    seedance.server.polls = [{"do": "limit", "retry_after_ms": 90_500, "retry_after": 1}, DONE]

    make(seedance, tmp_path)

    assert seedance.clock.now_s == pytest.approx(2 + 90.5)


def test_too_many_jobs_at_once_are_waited_for_longer_than_too_many_requests(stage_of, tmp_path):
    kling = stage_of("kling")
    kling.server.submissions = [{"do": "full"}]

    with pytest.raises(RateLimitedError, match="1303") as caught:
        make(kling, tmp_path)

    assert caught.value.retry_after_s == FULL_PAUSE_S


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (1301, ModerationError),
        (1102, QuotaSpentError),
        (1302, RateLimitedError),
        (1303, RateLimitedError),
        (1201, RejectedError),
        (1002, RejectedError),
        (5000, UnclearSubmissionError),
    ],
)
def test_code_in_a_good_answer_says_what_is_wrong(stage_of, code, error, tmp_path):
    kling = stage_of("kling")
    kling.server.submissions = [{"do": "say", "document": {"code": code, "message": "Why"}}]

    with pytest.raises(error, match=f"HTTP 200: {code} Why") as caught:
        make(kling, tmp_path)

    assert type(caught.value) is error


def test_fault_with_a_code_in_a_poll_is_polled_again(stage_of, tmp_path):
    kling = stage_of("kling")
    kling.server.polls = [{"do": "say", "document": {"code": 5001, "message": "Busy"}}, DONE]

    make(kling, tmp_path)

    assert kling.server.poll_count == 2
