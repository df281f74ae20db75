"""Pages of texts: a person's own, and their rounds."""

from django.urls import path

from texts.views import campaigns, rounds, verdicts

ROUND = "campaigns/<slug:public_id>/text-rounds/<int:number>/"
urlpatterns = [
    path("texts/<slug:public_id>/", verdicts.text, name="text"),
    path("texts/<slug:public_id>/answer/", verdicts.text_answer, name="text-answer"),
    path("queue/<slug:round_id>/texts/", rounds.text_next, name="text-next"),
    path("campaigns/new/texts/", campaigns.text_campaign_create, name="text-campaign"),
    path("datasets/<slug:public_id>/texts/", campaigns.text_sample, name="text-sample"),
    path(ROUND, rounds.text_round, name="text-round"),
    path(f"{ROUND}edit/", rounds.text_round_edit, name="text-round-edit"),
    path(f"{ROUND}open/", rounds.text_round_open, name="text-round-open"),
    path(f"{ROUND}close/", rounds.text_round_close, name="text-round-close"),
    path(
        f"{ROUND}figures.csv",
        rounds.text_round_figures_csv,
        name="text-round-figures-csv",
    ),
    path(f"{ROUND}verdicts.csv", rounds.text_verdicts_csv, name="text-verdicts-csv"),
    path(f"{ROUND}texts.csv", rounds.text_round_csv, name="text-round-csv"),
]
