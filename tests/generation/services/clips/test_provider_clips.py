"""Clips of a real local server that plays a provider: ordered once, recorded, told when not."""

from decimal import Decimal

import pytest

from annotation.backends.made_files import path_here
from generation.backends.exceptions import RateLimitedError, RejectedError, ServerFailedError
from generation.backends.video.clips.backend import anchors_at
from generation.backends.video.providers.exceptions import (
    DownloadError,
    DownloadTooLargeError,
    JobFailedError,
    JobTimeoutError,
    MalformedAnswerError,
    ModerationError,
    NotAVideoError,
    QuotaSpentError,
    UnclearSubmissionError,
)
from generation.backends.video.providers.transport import FULL_PAUSE_S
from generation.models import ClipAttempt, ClipCall
from generation.selectors.clips.calls import clip_use_of
from generation.services.clips.provider_clips import ORDERING
from tests.fakes.video_provider_server import (
    API_KEY,
    DONE,
    FORMS,
    SECRET_KEY,
    TAKE,
    WAIT,
)

pytestmark = pytest.mark.django_db(transaction=True)
# What providers report of the clip of the tests; the others say nothing in dollars.
PRICES = {"openrouter": Decimal("0.1875"), "runway": Decimal("0.48")}


@pytest.mark.parametrize("provider", FORMS)
def test_clip_of_every_provider_is_ordered_once_and_then_read(shop_of, provider, media):
    shop = shop_of(provider)
    shop.server.polls = [WAIT, DONE]
    clips = shop.clips()

    first, second = shop.make(clips, "a"), shop.make(clips, "b", duration_s=1.2)

    call = ClipCall.objects.get()
    assert (first.frame_count, second.frame_count) == (30, 36)
    assert len(shop.server.submitted) == 1
    assert (call.status, call.error, call.job_id) == ("made", "", shop.server.job_id)
    assert path_here(call.path).read_bytes() == shop.server.clip
    assert call.byte_count == len(shop.server.clip)
    assert [row.outcome for row in call.attempts.all()] == ["answered"]
    assert call.attempts.get().price == PRICES.get(provider, Decimal("0.1") * call.duration_s)


@pytest.mark.parametrize(
    ("provider", "polls", "price", "reported"),
    [
        # 48 credits of a cent each.
        ("runway", [DONE], "0.48", ("48", "credits")),
        ("openrouter", [DONE], "0.1875", ("0.1875", "dollars")),
        # Tokens have a price of their own by model: what was typed stands beside them.
        ("seedance", [DONE], "0.2", ("43200", "tokens")),
        ("kling", [DONE], "0.3", (None, "")),
    ],
)
def test_price_is_what_the_provider_reports(shop_of, provider, polls, price, reported):
    shop = shop_of(provider)
    shop.server.polls = polls

    shop.make(shop.clips())

    attempt = ClipAttempt.objects.get()
    amount = None if reported[0] is None else Decimal(reported[0])
    assert attempt.price == Decimal(price)
    assert (attempt.reported_cost, attempt.reported_unit) == (amount, reported[1])
    use = clip_use_of(attempt.endpoint)
    assert use.price == Decimal(price)
    shown = {(it.unit, it.amount) for it in use.reported}
    assert shown == ({(reported[1], amount)} if reported[1] in {"credits", "tokens"} else set())


@pytest.mark.parametrize(
    ("do", "error", "price"),
    # Moderation that keeps a clip back bills it; a failure is refunded.
    [("refused", ModerationError, "0.48"), ("failed", JobFailedError, "0")],
)
def test_runway_job_without_a_clip_costs_what_runway_says(shop_of, do, error, price):
    shop = shop_of("runway")
    shop.server.polls = [{"do": do}]

    with pytest.raises(error):
        shop.make(shop.clips())

    use = clip_use_of(ClipAttempt.objects.get().endpoint)
    assert (use.price, use.possible_price) == (Decimal(price), 0)


def test_moderated_runway_job_without_a_reported_cost_counts_as_paid(shop_of):
    shop = shop_of("runway")
    document = {key: value for key, value in shop.server.forms.refused.items() if key != "cost"}
    shop.server.polls = [{"do": "say", "document": document}]

    with pytest.raises(ModerationError):
        shop.make(shop.clips())

    # What Runway estimated when it took the job, not what was typed.
    assert clip_use_of(ClipAttempt.objects.get().endpoint).price == Decimal("0.60")


def test_estimate_of_the_provider_takes_the_place_of_the_typed_price(shop_of):
    shop = shop_of("runway")
    shop.server.polls = [WAIT]

    with pytest.raises(JobTimeoutError):
        shop.make(shop.clips())

    assert ClipAttempt.objects.get().reserved_price == Decimal("0.60")


def test_order_of_a_service_that_names_its_prices_needs_no_typed_one(shop_of):
    shop = shop_of("openrouter")
    shop.server.polls = [WAIT]
    clips = shop.clips(settings={"price_per_second": None})

    with pytest.raises(JobTimeoutError):
        shop.make(clips)

    assert ClipAttempt.objects.get().reserved_price == Decimal("0.20")


def test_place_among_too_many_jobs_is_waited_for(shop_of):
    shop = shop_of("kling")
    shop.server.submissions = [{"do": "full"}, {"do": "full"}, TAKE]

    shop.make(shop.clips(policy=ORDERING))

    assert shop.clock.now_s >= 2 * FULL_PAUSE_S
    assert [row.is_free for row in ClipAttempt.objects.all()] == [True, True, False]


def test_file_that_is_not_ready_is_fetched_later_and_paid_once(shop):
    shop.server.downloads = [{"do": "early"}, {"do": "early"}, {"do": "file"}]

    shop.make(shop.clips())

    assert len(shop.server.submitted) == 1
    assert [row.outcome for row in ClipAttempt.objects.all()] == ["answered"]


def test_file_that_stays_unready_is_asked_for_and_not_ordered_again(shop):
    clips = shop.clips()
    shop.server.downloads = [{"do": "early"}]
    with pytest.raises(ServerFailedError):
        shop.make(clips)
    shop.server.downloads = [{"do": "file"}]

    shop.make(clips)

    assert len(shop.server.submitted) == 1


def test_frame_with_a_face_is_refused_with_the_providers_words(shop):
    shop.server.submissions = [{"do": "face"}]

    with pytest.raises(ModerationError, match=r"PrivacyInformation may contain real person"):
        shop.make(shop.clips())


def test_call_says_what_was_ordered_without_frames_or_keys(shop):
    shop.make(shop.clips())

    [call] = ClipCall.objects.values()
    shown = {name: call[name] for name in ("provider", "model_name", "prompt", "duration_s")}
    assert shown == {
        "provider": "seedance",
        "model_name": "seedance-1-0-pro-250528",
        "prompt": "A hand drops a cup. Same camera.",
        "duration_s": 2,
    }
    assert {name: len(digest) for name, digest in call["anchors"].items()} == {
        "first": 64,
        "last": 64,
    }
    assert call["parameters"] == {"size": "16:9", "width": 1280, "height": 720, "sample": 0}
    assert API_KEY not in str(call)


@pytest.mark.parametrize(
    "changes",
    [{"prompt": "A hand lifts a cup."}, {"duration_s": 4.0}, {"sample": 1}, {"style_lock": ""}],
    ids=str,
)
def test_another_order_is_another_clip(shop, changes):
    clips = shop.clips()

    shop.make(clips)
    shop.make(clips, **changes)

    assert len(shop.server.submitted) == 2


def test_same_frames_of_another_window_are_another_clip(shop):
    clips = shop.clips()

    shop.make(clips)
    shop.make(clips, anchors=anchors_at(shop.recording, 31, 60))

    assert len(shop.server.submitted) == 2


def test_another_endpoint_of_the_same_provider_and_model_reads_the_same_record(shop):
    shop.make(shop.clips())

    shop.make(shop.clips(settings={"name": "Other", "concurrency": 1}))

    assert len(shop.server.submitted) == 1


@pytest.mark.parametrize(
    ("acts", "error", "status", "is_free"),
    [
        ({"submissions": [{"do": "refuse"}]}, ModerationError, "refused", True),
        ({"submissions": [{"do": "reject"}]}, RejectedError, "failed", True),
        ({"submissions": [{"do": "spent"}]}, QuotaSpentError, "failed", True),
        ({"submissions": [{"do": "limit", "retry_after": 99}]}, RateLimitedError, "failed", True),
        ({"submissions": [{"do": "status", "status": 503}]}, ServerFailedError, "failed", True),
        (
            {"submissions": [{"do": "status", "status": 500}]},
            UnclearSubmissionError,
            "unclear",
            False,
        ),
        ({"submissions": [{"do": "hang_up"}]}, UnclearSubmissionError, "unclear", False),
        ({"submissions": [{"do": "page"}]}, MalformedAnswerError, "unclear", False),
        (
            {"submissions": [{"do": "say", "document": {"id": "../keys"}}]},
            MalformedAnswerError,
            "unclear",
            False,
        ),
        ({"polls": [{"do": "failed"}]}, JobFailedError, "failed", False),
        ({"polls": [{"do": "refused"}]}, ModerationError, "refused", False),
        ({"polls": [{"do": "status", "status": 404}]}, RejectedError, "failed", False),
        ({"polls": [{"do": "page"}]}, MalformedAnswerError, "running", False),
        ({"polls": [WAIT]}, JobTimeoutError, "running", False),
        ({"polls": [{"do": "status", "status": 502}]}, ServerFailedError, "running", False),
        ({"downloads": [{"do": "status", "status": 404}]}, DownloadError, "unusable", False),
        ({"downloads": [{"do": "file", "content": b"<p>"}]}, NotAVideoError, "unusable", False),
        (
            {"downloads": [{"do": "endless", "count": 9000}]},
            DownloadTooLargeError,
            "unusable",
            False,
        ),
    ],
    ids=str,
)
def test_failure_is_recorded_with_its_reason_and_what_it_may_have_cost(
    shop, monkeypatch, acts, error, status, is_free
):
    for name, played in acts.items():
        setattr(shop.server, name, played)

    with pytest.raises(error) as caught:
        shop.make(shop.clips())

    call, last = ClipCall.objects.get(), ClipAttempt.objects.last()
    # Who asked is told besides that the server wants a longer wait than anybody gives it.
    reason = str(caught.value).removesuffix("; the server asks to wait 99 s")
    assert (call.status, call.error_kind, call.error) == (status, error.outcome, reason)
    assert (last.outcome, last.reason, last.ended_at is None) == (error.outcome, reason, False)
    assert ClipAttempt.objects.first().is_free is is_free
    use = clip_use_of(call.endpoint)
    assert use.highest_price == (0 if is_free else Decimal("0.2"))
    assert (use.price > 0) is (status == "unusable")
    assert list(shop.folder.glob("*.mp4")) == []


@pytest.mark.parametrize(
    ("first", "error", "submission_count"),
    [
        # What may be running is asked for by its id.
        ({"polls": [WAIT]}, JobTimeoutError, 1),
        ({"polls": [{"do": "page"}]}, MalformedAnswerError, 1),
        ({"downloads": [{"do": "file", "content": b"<p>"}]}, NotAVideoError, 1),
        # What was told to have failed is ordered anew when somebody asks for it anew.
        ({"polls": [{"do": "failed"}]}, JobFailedError, 2),
        ({"submissions": [{"do": "hang_up"}]}, UnclearSubmissionError, 2),
        ({"submissions": [{"do": "reject"}]}, RejectedError, 2),
    ],
    ids=str,
)
def test_next_try_asks_for_the_job_or_orders_anew(shop, first, error, submission_count):
    clips = shop.clips()
    for name, played in first.items():
        setattr(shop.server, name, played)
    with pytest.raises(error):
        shop.make(clips)
    shop.server.submissions, shop.server.polls = [TAKE], [DONE]
    shop.server.downloads = [{"do": "file"}]

    shop.make(clips)

    assert len(shop.server.submitted) == submission_count
    assert ClipCall.objects.get().status == "made"
    resumed = [row.resumes for row in ClipAttempt.objects.all()]
    assert resumed == [False, submission_count == 1]
    assert clip_use_of(clips.endpoint).price == Decimal("0.2")


def test_refused_clip_is_not_ordered_again(shop):
    shop.server.polls = [{"do": "refused"}]
    clips = shop.clips()

    for _ in range(2):
        with pytest.raises(ModerationError, match="Not shown"):
            shop.make(clips)

    assert len(shop.server.submitted) == 1


def test_clip_may_be_ordered_again_after_two_failed_downloads(shop):
    shop.server.downloads = [{"do": "status", "status": 404}]
    clips = shop.clips()
    for _ in range(2):
        with pytest.raises(DownloadError):
            shop.make(clips)
    shop.server.downloads = [{"do": "file"}]

    shop.make(clips)

    assert len(shop.server.submitted) == 2
    assert clip_use_of(clips.endpoint).price == Decimal("0.4")


def test_file_that_somebody_removed_is_fetched_again_and_not_ordered(shop):
    clips = shop.clips()
    shop.make(clips, "a")
    path_here(ClipCall.objects.get().path).unlink()

    shop.make(clips, "b")

    assert len(shop.server.submitted) == 1
    assert path_here(ClipCall.objects.get().path).is_file()


def test_busy_provider_is_asked_again_and_every_order_is_kept(shop):
    shop.server.submissions = [
        {"do": "limit", "retry_after": 3},
        {"do": "status", "status": 503},
        TAKE,
    ]

    shop.make(shop.clips())

    assert [row.outcome for row in ClipAttempt.objects.all()] == [
        "rate_limited",
        "server_failed",
        "answered",
    ]
    assert shop.clock.now_s >= 3
    assert clip_use_of(ClipCall.objects.get().endpoint).highest_price == Decimal("0.2")


def test_clip_shorter_than_ordered_is_used_with_a_note(shop_of):
    shop = shop_of("openai_videos")

    shop.make(shop.clips(), duration_s=3.5)

    assert ClipCall.objects.get().notes == "The clip lasts 2.00 s; ordered were 4 s."


def test_server_that_repeats_the_key_has_it_cut_out_of_the_record(shop):
    shop.server.submissions = [{"do": "echo_headers"}]

    with pytest.raises(RejectedError):
        shop.make(shop.clips())

    call, attempt = ClipCall.objects.values().get(), ClipAttempt.objects.values().get()
    assert "[key]" in call["error"]
    assert API_KEY not in f"{call}{attempt}"


@pytest.mark.parametrize("secret", [API_KEY, SECRET_KEY])
def test_no_repr_shows_a_key(shop_of, secret):
    clips = shop_of("kling").clips()

    assert secret not in repr(clips)
