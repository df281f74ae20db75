"""Endpoints of texts."""

from django.urls import include, path

from texts.api import figures, rounds, verdicts

of_round = [
    path("", figures.TextRoundDetail.as_view(), name="api-text-round"),
    path("settings/", rounds.TextRoundSettings.as_view(), name="api-text-round-settings"),
    path("open/", rounds.TextRoundOpening.as_view(), name="api-text-round-open"),
    path("close/", rounds.TextRoundClosing.as_view(), name="api-text-round-close"),
    path("texts/", rounds.DecidedTexts.as_view(), name="api-text-round-texts"),
    path("verdicts/", rounds.GivenVerdicts.as_view(), name="api-text-round-verdicts"),
]
of_text = [
    path("", verdicts.OwnText.as_view(), name="api-text"),
    path("answer/", verdicts.BlindAnswer.as_view(), name="api-text-answer"),
    path("verdict/", verdicts.Verdict.as_view(), name="api-text-verdict"),
]
urlpatterns = [
    path("text-verdicts/", verdicts.OwnTexts.as_view(), name="api-texts"),
    path("text-verdicts/<slug:public_id>/", include(of_text)),
    path(
        "campaigns/<slug:public_id>/text-rounds/",
        include(
            [
                path("", rounds.TextRounds.as_view(), name="api-text-rounds"),
                path("<int:number>/", include(of_round)),
            ]
        ),
    ),
]
