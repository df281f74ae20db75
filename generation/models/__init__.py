"""The tables of generation, one file per part of the work."""

from generation.models.calls import Attempt, Call, PayerSum, Use
from generation.models.clip_calls import (
    ClipAttempt,
    ClipCall,
    ClipCallStatus,
    ClipUse,
    VideoEndpoint,
)
from generation.models.clips import ClipState, TakeClip, TakeEdits
from generation.models.endpoints import Endpoint
from generation.models.runs import PublishedTrace, Run, RunTake, StopReason, TakePlan
from generation.models.text_calls import (
    PromptCall,
    TextAttempt,
    TextCall,
    TextCallStatus,
    TextEndpoint,
    TextUse,
)
from generation.models.texts import JudgeFinding, MadeSemRep, TakeJudgement, TakeRewrite
from generation.models.videos import TakeVideo
