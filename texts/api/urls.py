"""Endpoints of texts."""

from django.urls import path

from texts.api import rounds, verdicts

ROUND = "campaigns/<slug:public_id>/text-rounds/<int:number>/"
urlpatterns = [
    path("text-verdicts/<slug:public_id>/", verdicts.OwnText.as_view(), name="api-text"),
    path(
        "text-verdicts/<slug:public_id>/answer/",
        verdicts.BlindAnswer.as_view(),
        name="api-text-answer",
    ),
    path(
        "text-verdicts/<slug:public_id>/verdict/",
        verdicts.Verdict.as_view(),
        name="api-text-verdict",
    ),
    path(ROUND, rounds.TextRoundDetail.as_view(), name="api-text-round"),
    path(f"{ROUND}texts/", rounds.DecidedTexts.as_view(), name="api-text-round-texts"),
]
