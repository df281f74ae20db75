"""The tables of generation, one file per part of the work."""

from generation.models.clip_calls import (
    ClipAttempt,
    ClipCall,
    ClipCallStatus,
    VideoEndpoint,
)
from generation.models.clips import ClipState, TakeClip, TakeEdits
from generation.models.endpoints import Endpoint
from generation.models.runs import PublishedTrace, Run, RunTake, TakePlan
from generation.models.text_calls import (
    TextAttempt,
    TextCall,
    TextCallStatus,
    TextEndpoint,
    TextUse,
)
from generation.models.texts import JudgeFinding, MadeSemRep, TakeJudgement, TakeRewrite
from generation.models.videos import TakeVideo

__all__ = [
    "ClipAttempt",
    "ClipCall",
    "ClipCallStatus",
    "ClipState",
    "Endpoint",
    "JudgeFinding",
    "MadeSemRep",
    "PublishedTrace",
    "Run",
    "RunTake",
    "TakeClip",
    "TakeEdits",
    "TakeJudgement",
    "TakePlan",
    "TakeRewrite",
    "TakeVideo",
    "TextAttempt",
    "TextCall",
    "TextCallStatus",
    "TextEndpoint",
    "TextUse",
    "VideoEndpoint",
]
