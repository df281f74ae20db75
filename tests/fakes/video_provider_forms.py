"""How the providers of video models write what they say and read what they are told.

The forms are written down here a second time, not taken from the adapters. `request` is a JSON
schema of an order: what does not fit is turned down, as the real services do.
"""

from dataclasses import dataclass, field

JOB = "job-17"
DATA_URL = {"type": "string", "pattern": "^data:image/jpeg;base64,[A-Za-z0-9+/]+=*$"}
BARE_BASE64 = {"type": "string", "pattern": "^[A-Za-z0-9+/]+=*$"}


@dataclass(frozen=True)
class Forms:
    """One provider: where a job starts, where it is asked for, its answers, and its orders."""

    model: str
    start: str
    query: str
    free: str
    taken: dict
    waiting: tuple
    done: dict
    failed: dict
    refused: dict
    errors: dict
    request: dict
    cancel: str | None = None
    taken_status: int = 200
    content: str = ""
    cards: dict = field(default_factory=dict)
    endpoint: dict = field(default_factory=dict)


def strict(required, **properties):
    """Return the schema of an object that holds these and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def text(most, least=1):
    return {"type": "string", "minLength": least, "maxLength": most}


def openai_error(code, message):
    return {"error": {"code": code, "message": message, "type": "error"}}


def kling(word, **more):
    return {"code": 0, "message": "SUCCEED", "data": {"task_id": JOB, "task_status": word, **more}}


KLING = Forms(
    model="kling-v3-omni",
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
        "full": (429, {"code": 1303, "message": "parallel task over limit", "request_id": "1"}),
        "reject": (400, {"code": 1201, "message": "Invalid duration", "request_id": "1"}),
    },
    request={
        **strict(
            ["model_name", "prompt", "duration", "mode", "image_list"],
            model_name={"enum": ["kling-v3-omni", "kling-video-o1"]},
            prompt=text(2500),
            mode={"enum": ["std", "pro"]},
            duration={"enum": [str(length_s) for length_s in range(3, 16)]},
            sound={"enum": ["on", "off"]},
            aspect_ratio={"enum": ["16:9", "9:16", "1:1"]},
            image_list={
                "type": "array",
                "maxItems": 2,
                "items": strict(
                    ["image_url", "type"],
                    image_url=BARE_BASE64,
                    type={"enum": ["first_frame", "end_frame"]},
                ),
            },
        ),
        "if": {"properties": {"image_list": {"maxItems": 0}}},
        "then": {"required": ["aspect_ratio"]},
        "else": {
            "if": {"properties": {"model_name": {"const": "kling-video-o1"}}},
            "then": {"properties": {"duration": {"enum": ["5", "10"]}}},
        },
    },
)


def runway(word, **more):
    return {"id": JOB, "createdAt": "2026-11-22T00:00:00Z", "status": word, **more}


ESTIMATE = {"estimatedCost": {"credits": 60}}
RUNWAY = Forms(
    model="gen4.5",
    start="/v1/image_to_video",
    query=f"/v1/tasks/{JOB}",
    free="/v1/organization",
    taken={"id": JOB, **ESTIMATE},
    waiting=(
        runway("PENDING", **ESTIMATE),
        runway("THROTTLED", **ESTIMATE),
        runway("RUNNING", progress=0.5, **ESTIMATE),
    ),
    done=runway("SUCCEEDED", output=["URL"], cost={"credits": 48}),
    failed=runway("FAILED", failure="Oops", failureCode="INTERNAL", cost={"credits": 0}),
    refused=runway(
        "FAILED", failure="Not shown", failureCode="SAFETY.OUTPUT.VIDEO", cost={"credits": 48}
    ),
    errors={
        "refuse": (400, {"error": "Did not pass content moderation"}),
        "spent": (400, {"error": "You do not have enough credits to run this task."}),
        "limit": (429, {"error": "Daily task limit reached"}),
        "reject": (400, {"error": "Validation of body failed"}),
    },
    request=strict(
        ["model", "promptImage", "promptText", "ratio", "duration"],
        model={"const": "gen4.5"},
        promptText=text(1000),
        promptImage={
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": strict(["uri", "position"], uri=DATA_URL, position={"const": "first"}),
        },
        ratio={"enum": ["1280:720", "720:1280", "1104:832", "960:960", "832:1104", "1584:672"]},
        duration={"type": "integer", "minimum": 2, "maximum": 10},
    ),
    cancel=f"/v1/tasks/{JOB}",
)
SEEDANCE = Forms(
    model="seedance-1-0-pro-250528",
    start="/contents/generations/tasks",
    query=f"/contents/generations/tasks/{JOB}",
    free="/contents/generations/tasks?page_num=1&page_size=1",
    taken={"id": JOB},
    waiting=tuple({"id": JOB, "status": word} for word in ("queued", "running")),
    done={
        "id": JOB,
        "status": "succeeded",
        "content": {"video_url": "URL"},
        "usage": {"completion_tokens": 43200, "total_tokens": 43200},
    },
    failed={"id": JOB, "status": "failed", **openai_error("InternalServiceError", "Oops")},
    refused={
        "id": JOB,
        "status": "failed",
        **openai_error("OutputVideoSensitiveContentDetected", "Not shown"),
    },
    errors={
        "refuse": (400, openai_error("InputTextSensitiveContentDetected", "Not allowed")),
        "face": (
            400,
            openai_error(
                "InputImageSensitiveContentDetected.PrivacyInformation", "may contain real person"
            ),
        ),
        "spent": (403, openai_error("AccountOverdueError", "Please pay")),
        "limit": (429, openai_error("RateLimitExceeded.EndpointRPMExceeded", "Too fast")),
        "reject": (400, openai_error("InvalidParameter", "duration")),
        "early": (400, openai_error("video_not_ready", "The video is not ready")),
    },
    request=strict(
        ["model", "content"],
        model={"type": "string", "pattern": "seedance-|^ep-"},
        content={
            "type": "array",
            "minItems": 1,
            "items": {
                "oneOf": [
                    strict(["type", "text"], type={"const": "text"}, text=text(4000)),
                    strict(
                        ["type", "image_url", "role"],
                        type={"const": "image_url"},
                        image_url=strict(["url"], url=DATA_URL),
                        role={"enum": ["first_frame", "last_frame"]},
                    ),
                ]
            },
        },
        resolution={"enum": ["480p", "720p", "1080p"]},
        ratio={"enum": ["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]},
        duration={"type": "integer", "minimum": 2, "maximum": 30},
        generate_audio={"type": "boolean"},
        watermark={"type": "boolean"},
    ),
    cancel=f"/contents/generations/tasks/{JOB}",
)


def openrouter(word, **more):
    return {"id": JOB, "polling_url": f"/api/v1/videos/{JOB}", "status": word, **more}


def openrouter_error(code, message):
    return {"error": {"code": code, "message": message}}


CARD = {
    "id": "maker/film-2",
    "canonical_slug": "maker/film-2-20260901",
    "name": "Maker: Film 2",
    "created": 1788000000,
    "allowed_passthrough_parameters": ["watermark"],
    "creativity": None,
    "upscale_factor": None,
    "generate_audio": True,
    "seed": True,
    "supported_durations": [4, 2, 3, 5, 6, 7, 8],
    "supported_resolutions": ["480p", "720p", "1080p"],
    "supported_aspect_ratios": ["16:9", "9:16", "1:1"],
    "supported_sizes": None,
    "supported_frame_images": ["first_frame", "last_frame"],
    "pricing_skus": {
        "duration_seconds_with_audio": "0.40",
        "duration_seconds_without_audio": "0.20",
        "duration_seconds_without_audio_720p": "0.10",
    },
}
EDITOR = {
    **CARD,
    "id": "maker/editor",
    "supported_durations": None,
    "supported_resolutions": None,
    "supported_aspect_ratios": None,
    "supported_frame_images": None,
    "pricing_skus": {"cents_per_second_output": "3"},
}
KEPT_CARD = {
    "id": "maker/film-2",
    "name": "Maker: Film 2",
    "supported_durations": [2, 3, 4, 5, 6, 7, 8],
    "supported_resolutions": ["480p", "720p", "1080p"],
    "supported_aspect_ratios": ["16:9", "9:16", "1:1"],
    "supported_frame_images": ["first_frame", "last_frame"],
    "generate_audio": True,
    "pricing_skus": CARD["pricing_skus"],
}
OPENROUTER = Forms(
    model="maker/film-2",
    start="/videos",
    query=f"/videos/{JOB}",
    free="/key",
    taken=openrouter("pending"),
    waiting=(openrouter("pending"), openrouter("in_progress")),
    done=openrouter(
        "completed",
        generation_id="gen-1",
        unsigned_urls=["https://openrouter.example/api/v1/videos/x/content?index=0"],
        usage={"cost": 0.1875, "is_byok": False},
    ),
    failed=openrouter("failed", error="The provider gave up"),
    refused=openrouter("failed", error="Not shown: flagged by content moderation"),
    errors={
        "refuse": (403, openrouter_error(403, "Your input was flagged")),
        "spent": (402, openrouter_error(402, "Insufficient credits")),
        "limit": (429, openrouter_error(429, "Rate limit exceeded")),
        "large": (413, openrouter_error(413, "Payload too large")),
        "reject": (400, openrouter_error(400, "Invalid duration")),
    },
    request=strict(
        ["model", "prompt"],
        model={"const": "maker/film-2"},
        prompt=text(10000),
        duration={"enum": CARD["supported_durations"]},
        resolution={"enum": CARD["supported_resolutions"]},
        aspect_ratio={"enum": CARD["supported_aspect_ratios"]},
        generate_audio={"type": "boolean"},
        seed={"type": "integer"},
        frame_images={
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": strict(
                ["type", "image_url", "frame_type"],
                type={"const": "image_url"},
                image_url=strict(["url"], url=DATA_URL),
                frame_type={"enum": CARD["supported_frame_images"]},
            ),
        },
    ),
    taken_status=202,
    content=f"/videos/{JOB}/content?index=0",
    cards={"data": [CARD, EDITOR]},
    endpoint={"card": KEPT_CARD},
)


def video(word, **more):
    return {
        "id": JOB,
        "object": "video",
        "model": "film",
        "created_at": 1788000000,
        "progress": 0,
        "seconds": "2",
        "size": "1280x720",
        "status": word,
        **more,
    }


OPENAI_VIDEOS = Forms(
    model="film",
    start="/videos",
    query=f"/videos/{JOB}",
    free="/videos?limit=1",
    taken=video("queued"),
    waiting=(video("queued"), video("in_progress", progress=40)),
    done=video("completed", progress=100),
    failed=video("failed", **openai_error("internal_error", "Oops")),
    refused=video("failed", **openai_error("moderation_blocked", "Not shown")),
    errors={
        "refuse": (400, openai_error("content_policy_violation", "Not allowed")),
        "spent": (429, openai_error("insufficient_quota", "You exceeded your current quota")),
        "limit": (429, openai_error("rate_limit_exceeded", "Too fast")),
        "reject": (400, openai_error("invalid_value", "seconds")),
    },
    request={
        **strict(
            ["prompt"],
            prompt=text(10000),
            model={"const": "film"},
            seconds={"type": "string", "pattern": "^[1-9][0-9]*$"},
            size={"type": "string", "pattern": "^[0-9]+x[0-9]+$"},
            # A file, as which it arrives in the form.
            input_reference={"const": "image/jpeg"},
            image_reference={
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": strict(["image_url"], image_url=DATA_URL),
            },
        ),
        "not": {"required": ["input_reference", "image_reference"]},
    },
    content=f"/videos/{JOB}/content",
    endpoint={"lengths": "2, 4, 8", "sizes": "1280x720, 720x1280"},
)
FORMS = {
    "kling": KLING,
    "openai_videos": OPENAI_VIDEOS,
    "openrouter": OPENROUTER,
    "runway": RUNWAY,
    "seedance": SEEDANCE,
}
