"""The tables of the benchmarks app."""

from benchmarks.models.agents import (
    AgentAttempt,
    AgentCall,
    AgentEndpoint,
    AgentTask,
    AgentUse,
)
from benchmarks.models.assessments import (
    Answer,
    AnswerStage,
    Assessment,
    Figure,
    ParticipantKind,
)
from benchmarks.models.features import UPLOADED, FeatureArray, FeatureSet
from benchmarks.models.item_sets import Item, ItemSet, ItemSetSource, SharedPayload
from benchmarks.models.judging import JudgingSample, PersonGrade, PersonJudge, SampledAnswer
from benchmarks.models.live import (
    LiveCommand,
    LiveCommandKind,
    LiveEvent,
    LiveEventKind,
    LiveRun,
)
from benchmarks.models.proposals import ProposedRecording, StepProposals
from benchmarks.models.questions import Author, Question, QuestionSet, QuestionState
from benchmarks.models.queues import QueueSorting
from benchmarks.models.training import TrainedSeed
