"""The tables of the corpus and of the audit."""

from annotation.models.campaign import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignRater,
    Invitation,
    Phase,
)
from annotation.models.corpus import (
    Dataset,
    Event,
    OpenedPlace,
    Step,
    Take,
    TaskGraph,
    Trace,
    TraceStep,
    Video,
)
from annotation.models.figures import AgreementFigures
from annotation.models.ingest import VideoIngest
from annotation.models.people import Role, User
from annotation.models.rating import Rating, RatingEvent, Remark, Viewing
from annotation.models.records import AT_WORK, AuditEntry, Job, JobStatus, Process, ProcessKind

__all__ = [
    "AT_WORK",
    "AgreementFigures",
    "Assignment",
    "AssignmentStatus",
    "AuditEntry",
    "Campaign",
    "CampaignRater",
    "Dataset",
    "Event",
    "Invitation",
    "Job",
    "JobStatus",
    "OpenedPlace",
    "Phase",
    "Process",
    "ProcessKind",
    "Rating",
    "RatingEvent",
    "Remark",
    "Role",
    "Step",
    "Take",
    "TaskGraph",
    "Trace",
    "TraceStep",
    "User",
    "Video",
    "VideoIngest",
    "Viewing",
]
