"""Pages of the corpus and the audit."""

from django.urls import path

from annotation.views import home

urlpatterns = [
    path("", home.home, name="home"),
    path("account/", home.account, name="account"),
    path("account/token/", home.account_token, name="account-token"),
]
