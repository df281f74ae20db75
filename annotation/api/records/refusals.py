"""The answers to refused files and requests, of which nothing was written."""

from rest_framework import serializers, status

from annotation.api.records.bodies import BodyError
from annotation.engine.corpus.formats.errors import FormatError, Problem
from annotation.services.corpus.uploads import SHOWN_PROBLEMS


class ProblemSerializer(serializers.Serializer[Problem]):
    """One fault of a file, with its place and what was expected there."""

    file = serializers.CharField()
    place = serializers.CharField()
    field = serializers.CharField()
    value = serializers.CharField()
    expected = serializers.CharField()
    message = serializers.CharField(help_text="All problems in one sentence")


class RefusedSerializer(serializers.Serializer[None]):
    """Why nothing was written."""

    detail = serializers.CharField()
    problems = ProblemSerializer(many=True, required=False)


class RefusedError(BodyError):
    """Answers with why nothing was written, and with problems where there are any."""

    def __init__(self, status_code: int, detail: str, problems: tuple[Problem, ...] = ()) -> None:
        listed = {"problems": [item.to_dict() for item in problems]} if problems else {}
        super().__init__(status_code, {"detail": detail, **listed})

    @classmethod
    def of_files(cls, error: FormatError) -> "RefusedError":
        """400 with the first problems of the files."""
        words = "The import was refused; nothing was written."
        count = len(error.problems)
        if count > SHOWN_PROBLEMS:
            words += f" These are the first {SHOWN_PROBLEMS} of {count} problems."
        return cls(status.HTTP_400_BAD_REQUEST, words, error.problems[:SHOWN_PROBLEMS])
