"""The tables of the kind: the columns that every kind has, and what is its own."""

from django.db import models

from generation.models import Attempt, Call, Endpoint, TextEndpoint, Use
from generation.models.setting_ranges import Range


class PictureCall(Call):
    ASKING, FAILED, SETTLED = "asking", "failed", ("answered",)

    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    picture = models.CharField(max_length=64)
    wording = models.TextField()
    status = models.CharField(max_length=12)
    grade = models.PositiveSmallIntegerField(null=True)


class PictureAttempt(Attempt):
    call = models.ForeignKey(PictureCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="+"
    )


class PictureUse(Use):
    call = models.ForeignKey(PictureCall, on_delete=models.CASCADE, related_name="uses")


class CarefulEndpoint(Endpoint):
    """A kind of endpoint with a setting of its own, which says what it may be at its column."""

    WORD, TITLE = "careful_endpoint", "careful model"

    patience_s = models.PositiveSmallIntegerField(default=3, validators=[Range(1, 9)])
