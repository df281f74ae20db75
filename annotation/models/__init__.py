"""The tables of the corpus and of the audit."""

from annotation.models.campaign import (
    ENDED,
    Campaign,
    CampaignRater,
    CampaignState,
    Invitation,
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
    Utterance,
    Video,
)
from annotation.models.desk import (
    AdjudicatedValue,
    Case,
    CaseComment,
    CaseRater,
    CaseState,
    Side,
)
from annotation.models.figures import (
    AgreementFigures,
    DrawnPicture,
    LikelyTruthFigures,
    LikelyValue,
    RaterPairs,
    RaterRoundFigures,
    StoredFigures,
)
from annotation.models.gold import (
    GoldItem,
    GoldSource,
    Qualification,
    RoundChecks,
    TrainingAttempt,
    TrainingTrace,
)
from annotation.models.ingest import VideoIngest
from annotation.models.people import Role, User
from annotation.models.protocol import (
    AnalysisPlan,
    Consent,
    ConsentText,
    FilingMoment,
    InterimLook,
    PeopleAnswers,
    PeopleQuestions,
    ProtocolFile,
)
from annotation.models.rating import Rating, RatingEvent, Remark, Viewing
from annotation.models.records import (
    AT_WORK,
    AuditEntry,
    Job,
    JobStatus,
    JobStop,
    Process,
    ProcessKind,
)
from annotation.models.round import (
    Assignment,
    AssignmentStatus,
    GuidelineReading,
    GuidelineVersion,
    Phase,
    Purpose,
    RatingRound,
    Round,
    RoundRater,
)
from annotation.models.screening import ScreeningPlan, ScreeningResult, ScreeningState
