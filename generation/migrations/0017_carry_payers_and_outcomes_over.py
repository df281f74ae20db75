"""Who paid for what was asked so far, what it cost, and how it ended, in the new columns."""

from django.db import migrations
from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Concat

# Names of exceptions, as they were stored. Whatever else was, was no fault of a model.
TEXT_OUTCOMES = {
    "NoAnswerInTimeError": "timed_out",
    "RateLimitedError": "rate_limited",
    "ServerFailedError": "server_failed",
    "ConnectionFailedError": "no_connection",
    "RejectedError": "rejected",
    "RefusedError": "refused",
    "ModelRefusedError": "refused",
    "EmptyAnswerError": "empty",
    "TruncatedError": "cut_off",
    "NotJsonError": "not_json",
    "WrongSchemaError": "wrong_schema",
    "BudgetSpentError": "budget_spent",
    "NotAllowedError": "not_allowed",
    "CancelledError": "cancelled",
}
CLIP_OUTCOMES = {
    "made": "answered",
    "SettingsError": "wrong_settings",
    "UnfitRequestError": "unfit",
    "RateLimitedError": "rate_limited",
    "ServerFailedError": "server_failed",
    "UnreachableError": "no_connection",
    "UnclearSubmissionError": "unclear",
    "RejectedError": "rejected",
    "QuotaSpentError": "quota_spent",
    "RefusedError": "refused",
    "ModerationError": "refused",
    "JobFailedError": "job_failed",
    "JobTimeoutError": "job_timed_out",
    "MalformedAnswerError": "malformed",
    "DownloadError": "bad_file",
    "DownloadTooLargeError": "file_too_large",
    "NotAVideoError": "not_a_video",
    "CancelledError": "cancelled",
}
KNOWN = {"", "answered", "lost", *TEXT_OUTCOMES.values(), *CLIP_OUTCOMES.values()}
UNUSABLE = ["refused", "empty", "cut_off", "not_json", "wrong_schema"]
STOPPED, BUDGET, NO_PRICE = "The run was stopped: ", "the budget is ", "so no budget can be kept"


def carry_over(apps, schema_editor):
    tables = {
        name: apps.get_model("generation", name).objects
        for name in ("TextCall", "TextAttempt", "TextUse", "ClipCall", "ClipAttempt", "RunTake")
    }
    for name in ("TextCall", "TextUse", "ClipCall", "ClipAttempt"):
        of_runs = tables[name].filter(run_take__isnull=False)
        of_runs.update(**_payer(tables["RunTake"].filter(pk=OuterRef("run_take_id"))))
    paying = tables["RunTake"].filter(text_calls=OuterRef("call_id"))
    tables["TextAttempt"].filter(call__run_take__isnull=False).update(**_payer(paying))
    for name, column, new in (
        ("TextCall", "error_kind", TEXT_OUTCOMES),
        ("TextAttempt", "outcome", TEXT_OUTCOMES),
        ("ClipCall", "error_kind", CLIP_OUTCOMES),
        ("ClipAttempt", "outcome", CLIP_OUTCOMES),
    ):
        for old, value in new.items():
            tables[name].filter(**{column: old}).update(**{column: value})
        tables[name].exclude(**{f"{column}__in": KNOWN}).update(**{column: "fault"})
    paid = tables["TextCall"].filter(pk=OuterRef("call_id")).values("price")
    attempts = tables["TextAttempt"].filter(ended_at__isnull=False)
    attempts.filter(outcome__in=["answered", *UNUSABLE]).update(price=Subquery(paid))
    maybe = ["answered", *UNUSABLE, "lost", "timed_out"]
    attempts.exclude(outcome__in=maybe).update(is_free=True)
    orders = apps.get_model("generation", "ClipAttempt").objects.filter(
        call=OuterRef("pk"), resumes=False, price__isnull=False
    )
    tables["ClipCall"].update(price=Subquery(orders.order_by("-pk").values("price")[:1]))
    stopped = tables["RunTake"].filter(job__status="failed", job__error__startswith=STOPPED)
    for row in stopped.select_related("job").iterator():
        words = row.job.error.removeprefix(STOPPED)
        row.stop_reason = (
            "budget_spent" if words.startswith(BUDGET)
            else "no_price" if NO_PRICE in words
            else "not_allowed"
        )  # fmt: skip
        row.stop_words = words[:1].upper() + words[1:]
        row.save(update_fields=["stop_reason", "stop_words"])


def _payer(run_takes):
    """What a payer is written as, of the one run take of a subquery."""
    key = run_takes.values(key=Concat(Value("run:"), F("run__public_id")))
    return {"payer": Subquery(key), "part": Subquery(run_takes.values("position"))}


def carry_back(apps, schema_editor):
    run_takes = apps.get_model("generation", "RunTake").objects.annotate(
        key=Concat(Value("run:"), F("run__public_id"))
    )
    own = run_takes.filter(key=OuterRef("payer"), position=OuterRef("part")).values("pk")[:1]
    for name, column, new in (
        ("TextCall", "error_kind", TEXT_OUTCOMES),
        ("TextAttempt", "outcome", TEXT_OUTCOMES),
        ("TextUse", None, {}),
        ("ClipCall", "error_kind", CLIP_OUTCOMES),
        ("ClipAttempt", "outcome", CLIP_OUTCOMES),
    ):
        rows = apps.get_model("generation", name).objects
        if name != "TextAttempt":
            rows.exclude(payer="").update(run_take=Subquery(own))
        for old, value in new.items():
            rows.filter(**{column: value}).update(**{column: old})
    apps.get_model("generation", "TextUse").objects.filter(run_take__isnull=True).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("generation", "0016_payers_of_calls"),
    ]

    operations = [migrations.RunPython(carry_over, carry_back)]
