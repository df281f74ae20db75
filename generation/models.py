"""Generation runs: what was launched, on which takes, and what each take got."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Dataset, Job, Take, Trace
from annotation.models.corpus import new_public_id
from generation.backends.text.model import DEFAULT_TIMEOUT_S, ApiStyle, FinishReason
from generation.engine.judging.findings import FindingSeverity
from generation.engine.judging.judging import JudgedStatus


class Run(models.Model):
    """One launched generation job: settings, seed, takes; it ends by publishing traces.

    `profile` is the whole planning profile as it was at launch, so that a run can be understood
    and repeated when the shipped profiles have moved on. `stages` is the ordered part of `Stage`
    that this run goes through. `options` holds what single stages need (models, budgets).
    `run_statistics` are the figures over its takes that some profiles normalise with; they and the
    profile never change after launch. `queued_at` is when its takes were last put on the queue.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="runs",
    )
    is_shared = models.BooleanField(default=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    profile_name = models.CharField(max_length=64)
    profile = models.JSONField()
    seed = models.PositiveBigIntegerField()
    stages = models.JSONField()
    options = models.JSONField(default=dict, blank=True)
    run_statistics = models.JSONField(default=dict, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
    cloned_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="clones"
    )
    published_dataset = models.OneToOneField(
        Dataset, null=True, blank=True, on_delete=models.SET_NULL, related_name="produced_by"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(default=timezone.now)
    cancelled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="run_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class RunTake(models.Model):
    """One take of a run; `stages_done` counts the leading stages of the run that it has passed.

    `passed_at` is when it passed the last of them.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="run_takes")
    take = models.ForeignKey(Take, on_delete=models.PROTECT, related_name="run_takes")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="run_take")
    position = models.PositiveIntegerField()
    stages_done = models.PositiveSmallIntegerField(default=0)
    passed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "take"], name="run_take_once"),
            models.UniqueConstraint(fields=["run", "position"], name="run_take_position_once"),
        ]
        indexes = [models.Index(fields=["run", "stages_done"], name="run_take_progress")]

    def __str__(self) -> str:
        return f"take {self.take_id} of run {self.run_id}"


class TakePlan(models.Model):
    """The plan of one take in a run, in the published form, with its counts for quick sums.

    `correction_count` is empty where the run simulates no corrections. `input_hash` is of the take
    that was planned: one that changed since is seen as such.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="plan")
    document = models.JSONField()
    error_count = models.PositiveSmallIntegerField()
    correction_count = models.PositiveSmallIntegerField(null=True, blank=True)
    warning_count = models.PositiveSmallIntegerField(default=0)
    input_hash = models.CharField(max_length=64)
    planned_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"plan of {self.run_take_id}"


class TakeRewrite(models.Model):
    """The text that a writer made of a take's plan, in the published form.

    `model` is the word for the writer in the run's options, `answered_by` what the server called
    itself; both tell who wrote. `notes` say where the writer had to bend.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="rewrite")
    document = models.JSONField()
    model = models.CharField(max_length=200)
    answered_by = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=64, blank=True)
    notes = models.JSONField(default=list, blank=True)
    written_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"rewrite of {self.run_take_id}"


class TakeJudgement(models.Model):
    """What the judge made of a take's rewrite: the repaired text and how it came about.

    `attempts` are the judge's own records of every repair that was tried. The counts are of the
    rewrite as it was written (`found`) and as the judge leaves it (`left`).
    """

    STATUSES = [
        (JudgedStatus.OK.value, "ok"),
        (JudgedStatus.WITH_FINDINGS.value, "with findings"),
    ]

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="judgement")
    document = models.JSONField()
    status = models.CharField(max_length=24, choices=STATUSES)
    model = models.CharField(max_length=200)
    prompt_versions = models.JSONField(default=list, blank=True)
    attempts = models.JSONField(default=list, blank=True)
    hard_found = models.PositiveIntegerField()
    soft_found = models.PositiveIntegerField()
    hard_left = models.PositiveIntegerField()
    soft_left = models.PositiveIntegerField()
    changed_words = models.PositiveIntegerField(default=0)
    judged_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=[status.value for status in JudgedStatus]),
                name="take_judgement_status_known",
            ),
        ]

    def __str__(self) -> str:
        return f"judgement of {self.run_take_id}"


class JudgeFinding(models.Model):
    """One finding of the judge; `is_left` tells those that remained from those of the beginning.

    `position` is a row of the rewrite that was judged, empty for the whole.
    """

    SEVERITIES = [(severity.value, severity.value) for severity in FindingSeverity]

    judgement = models.ForeignKey(TakeJudgement, on_delete=models.CASCADE, related_name="findings")
    is_left = models.BooleanField()
    code = models.CharField(max_length=64)
    severity = models.CharField(max_length=8, choices=SEVERITIES)
    position = models.PositiveIntegerField(null=True, blank=True)
    detail = models.TextField()
    event_id = models.CharField(max_length=100, blank=True)
    entity = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(severity__in=[severity.value for severity in FindingSeverity]),
                name="judge_finding_severity_known",
            ),
        ]
        indexes = [models.Index(fields=["code", "is_left"], name="judge_finding_by_code")]

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class TakeVideo(models.Model):
    """The video of a take's rewrite, or why it has none (`skipped`).

    `path` is relative to the media folder, `maker` the backend that made the clips. `edits` is the
    edit list with the times that were reached, `result` what the splice did and how it was
    verified. `seconds` counts clips and splice of the last attempt.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="made_video")
    skipped = models.TextField(blank=True)
    maker = models.CharField(max_length=64, blank=True)
    path = models.CharField(max_length=500, blank=True)
    splice_path = models.CharField(max_length=16, blank=True)
    clip_count = models.PositiveIntegerField(default=0)
    frame_count = models.PositiveIntegerField(default=0)
    duration_s = models.FloatField(default=0.0)
    seconds = models.FloatField(default=0.0)
    edits = models.JSONField(default=dict, blank=True)
    result = models.JSONField(default=dict, blank=True)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(Q(skipped="") & ~Q(path="")) | (~Q(skipped="") & Q(path="")),
                name="take_video_made_or_skipped",
            ),
        ]

    def __str__(self) -> str:
        return self.path or self.skipped


class MadeSemRep(models.Model):
    """The representation that the analyser or a model made of a step text: a cache, nothing more.

    `made_by` is `RULES`, or prompt version and model. For the rules, `text_digest` is the SHA-256
    of the text without regard to case and spacing, and rows of another `analyser_version` are not
    read; for a model it is of the text as it is, and the version is 0.
    """

    RULES = "rules"

    text_digest = models.CharField(max_length=64)
    made_by = models.CharField(max_length=300, default=RULES)
    analyser_version = models.PositiveSmallIntegerField()
    text = models.TextField()
    semrep = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["text_digest", "made_by", "analyser_version"], name="made_semrep_once"
            ),
        ]

    def __str__(self) -> str:
        return self.semrep


class PublishedTrace(models.Model):
    """Which run take a published trace came from: provenance that raters never see."""

    trace = models.OneToOneField(Trace, on_delete=models.CASCADE, related_name="published_from")
    run_take = models.OneToOneField(
        RunTake, on_delete=models.CASCADE, related_name="published_trace"
    )

    def __str__(self) -> str:
        return f"trace {self.trace_id}"


class TextEndpoint(models.Model):
    """An OpenAI-compatible server with one of its models, and what it may be asked.

    `owner` and administrators see and change it; `is_shared` lets every researcher of the site use
    it. The key is encrypted and never leaves the database but to the server itself. Prices are US
    dollars per million tokens, empty where unknown. `requests_per_minute` is empty where the
    server has no such limit.
    """

    API_STYLES = [
        (ApiStyle.CHAT.value, "Chat completions"),
        (ApiStyle.RESPONSES.value, "Responses"),
    ]

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=100, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="text_endpoints",
    )
    is_shared = models.BooleanField(default=False)
    base_url = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    api_style = models.CharField(max_length=12, choices=API_STYLES, default=ApiStyle.CHAT.value)
    encrypted_key = models.TextField(blank=True, editable=False)
    supports_images = models.BooleanField(default=False)
    takes_temperature = models.BooleanField(default=True)
    concurrency = models.PositiveSmallIntegerField(default=4)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    timeout_s = models.PositiveSmallIntegerField(default=int(DEFAULT_TIMEOUT_S))
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="text_endpoint_has_name"),
            models.CheckConstraint(
                condition=Q(concurrency__gte=1), name="text_endpoint_concurrency_positive"
            ),
            models.CheckConstraint(
                condition=Q(requests_per_minute__isnull=True) | Q(requests_per_minute__gte=1),
                name="text_endpoint_rate_positive",
            ),
            models.CheckConstraint(
                condition=Q(price_in__isnull=True, price_out__isnull=True)
                # A comparison with NULL is neither true nor false, and a check lets it pass.
                | Q(price_in__isnull=False, price_out__isnull=False, price_in__gte=0)
                & Q(price_out__gte=0),
                name="text_endpoint_prices_together",
                violation_error_message="Give both prices, none below 0, or neither.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def has_key(self) -> bool:
        return bool(self.encrypted_key)

    @property
    def has_prices(self) -> bool:
        return self.price_in is not None


class TextCallStatus(models.TextChoices):
    """Where a call stands; answered and unusable answers were paid for and stay for good."""

    WAITING = "waiting", "Waiting"
    ASKING = "asking", "Asking"
    ANSWERED = "answered", "Answered"
    UNUSABLE = "unusable", "Unusable answer"
    FAILED = "failed", "No answer"


class TextCall(models.Model):
    """One question to a text model and what became of it; asked again, it is read from here.

    `key` hashes server, model, API style, prompt version and the whole request. The question is
    kept word for word, pictures by hash and caption. `model_name` is what was asked,
    `answered_by` what the server says it was. `price` is in US dollars, empty where unknown.
    `run_take` is the first that asked, and so the one that paid.
    """

    FINISH_REASONS = [(reason.value, reason.value.capitalize()) for reason in FinishReason]

    key = models.CharField(max_length=64, unique=True)
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="calls"
    )
    run_take = models.ForeignKey(
        RunTake, null=True, blank=True, on_delete=models.SET_NULL, related_name="text_calls"
    )
    base_url = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    prompt_version = models.CharField(max_length=64)
    system = models.TextField(blank=True)
    prompt = models.TextField()
    images = models.JSONField(default=list, blank=True)
    schema = models.JSONField(null=True, blank=True)
    parameters = models.JSONField(default=dict)
    status = models.CharField(
        max_length=12, choices=TextCallStatus.choices, default=TextCallStatus.WAITING
    )
    text = models.TextField(blank=True)
    answered_by = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=12, choices=FINISH_REASONS, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=TextCallStatus.values), name="text_call_status_known"
            ),
        ]
        indexes = [models.Index(fields=["run_take", "status"], name="text_call_by_take")]

    def __str__(self) -> str:
        return f"{self.prompt_version} to {self.model_name}"


class TextAttempt(models.Model):
    """One request that went out for a call, written before it goes.

    An attempt without `ended_at` whose lease ran out belongs to a process that died: whether the
    server answered, and was paid, is not known. `reserved_price` is the most that it can cost.
    `outcome` is "answered" or the name of the error.
    """

    call = models.ForeignKey(TextCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="attempts"
    )
    started_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reserved_price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    outcome = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["endpoint", "started_at"], name="text_attempt_by_start"),
            models.Index(
                fields=["endpoint", "lease_until"],
                condition=Q(ended_at__isnull=True),
                name="text_attempt_open",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk} of call {self.call_id}"
