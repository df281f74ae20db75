"""How the providers of video models write what they say, each in its own form.

The forms are written down here a second time, not taken from the adapters.
"""

from dataclasses import dataclass

JOB = "job-17"


@dataclass(frozen=True)
class Forms:
    """One provider: where a job starts, where it is asked for, and its answers."""

    start: str
    query: str
    free: str
    taken: dict
    waiting: tuple
    done: dict
    failed: dict
    refused: dict
    errors: dict
    cancel: str | None = None


def openai_error(code, message):
    return {"error": {"code": code, "message": message, "type": "error"}}


def kling(word, **more):
    return {"code": 0, "message": "SUCCEED", "data": {"task_id": JOB, "task_status": word, **more}}


def veo(**more):
    return {"name": f"models/m/operations/{JOB}", **more}


def veo_made(**more):
    return veo(done=True, response={"generateVideoResponse": more})


KLING = Forms(
    start="/v1/videos/omni-video",
    query=f"/v1/videos/omni-video/{JOB}",
    free="/v1/videos/omni-video?pageNum=1&pageSize=1",
    taken=kling("submitted"),
    waiting=(kling("submitted"), kling("processing")),
    done=kling("succeed", task_result={"videos": [{"id": "1", "url": "URL", "duration": "5"}]}),
    failed=kling("failed", task_status_msg="Out of frames"),
    refused=kling("failed", task_status_msg="Failure to pass the risk control system"),
    errors={
        "refuse": (400, {"code": 1301, "message": "Prompt not allowed", "request_id": "1"}),
        "spent": (429, {"code": 1102, "message": "Resource pack used up", "request_id": "1"}),
        "limit": (429, {"code": 1302, "message": "Requests too fast", "request_id": "1"}),
        "reject": (400, {"code": 1201, "message": "Invalid duration", "request_id": "1"}),
    },
)
RUNWAY = Forms(
    start="/v1/image_to_video",
    query=f"/v1/tasks/{JOB}",
    free="/v1/organization",
    taken={"id": JOB},
    waiting=tuple({"id": JOB, "status": word} for word in ("PENDING", "THROTTLED", "RUNNING")),
    done={"id": JOB, "status": "SUCCEEDED", "output": ["URL"]},
    failed={"id": JOB, "status": "FAILED", "failure": "Oops", "failureCode": "INTERNAL"},
    refused={
        "id": JOB,
        "status": "FAILED",
        "failure": "Not shown",
        "failureCode": "SAFETY.OUTPUT.VIDEO",
    },
    errors={
        "refuse": (400, {"error": "Did not pass content moderation"}),
        "spent": (400, {"error": "You do not have enough credits to run this task."}),
        "limit": (429, {"error": "Daily task limit reached"}),
        "reject": (400, {"error": "Validation of body failed"}),
    },
    cancel=f"/v1/tasks/{JOB}",
)
SEEDANCE = Forms(
    start="/contents/generations/tasks",
    query=f"/contents/generations/tasks/{JOB}",
    free="/contents/generations/tasks?page_num=1&page_size=1",
    taken={"id": JOB},
    waiting=tuple({"id": JOB, "status": word} for word in ("queued", "running")),
    done={"id": JOB, "status": "succeeded", "content": {"video_url": "URL"}},
    failed={"id": JOB, "status": "failed", **openai_error("InternalServiceError", "Oops")},
    refused={
        "id": JOB,
        "status": "failed",
        **openai_error("OutputVideoSensitiveContentDetected", "Not shown"),
    },
    errors={
        "refuse": (400, openai_error("InputTextSensitiveContentDetected", "Not allowed")),
        "spent": (403, openai_error("AccountOverdueError", "Please pay")),
        "limit": (429, openai_error("RateLimitExceeded.EndpointRPMExceeded", "Too fast")),
        "reject": (400, openai_error("InvalidParameter", "duration")),
    },
    cancel=f"/contents/generations/tasks/{JOB}",
)
SORA = Forms(
    start="/videos",
    query=f"/videos/{JOB}",
    free="/videos?limit=1",
    taken={"id": JOB, "object": "video", "status": "queued", "progress": 0},
    waiting=tuple({"id": JOB, "status": word} for word in ("queued", "in_progress")),
    done={"id": JOB, "status": "completed", "progress": 100},
    failed={"id": JOB, "status": "failed", **openai_error("internal_error", "Oops")},
    refused={"id": JOB, "status": "failed", **openai_error("moderation_blocked", "Not shown")},
    errors={
        "refuse": (400, openai_error("content_policy_violation", "Not allowed")),
        "spent": (429, openai_error("insufficient_quota", "You exceeded your current quota")),
        "limit": (429, openai_error("rate_limit_exceeded", "Too fast")),
        "reject": (400, openai_error("invalid_value", "seconds")),
    },
)
VEO = Forms(
    start="/models/veo-3.1-generate-preview:predictLongRunning",
    query=f"/models/m/operations/{JOB}",
    free="/models/veo-3.1-generate-preview",
    taken=veo(),
    waiting=(veo(), veo(done=False)),
    done=veo_made(generatedSamples=[{"video": {"uri": "URL"}}]),
    failed=veo(done=True, error={"code": 13, "message": "Internal error", "status": "INTERNAL"}),
    refused=veo_made(raiMediaFilteredCount=1, raiMediaFilteredReasons=["Not shown"]),
    errors={
        "refuse": (
            400,
            {"error": {"code": 400, "message": "Against the usage guidelines", "status": "BAD"}},
        ),
        "limit": (
            429,
            {"error": {"code": 429, "message": "Too fast", "status": "RESOURCE_EXHAUSTED"}},
        ),
        "reject": (
            400,
            {"error": {"code": 400, "message": "seconds", "status": "INVALID_ARGUMENT"}},
        ),
    },
)
FORMS = {"kling": KLING, "runway": RUNWAY, "seedance": SEEDANCE, "sora": SORA, "veo": VEO}
