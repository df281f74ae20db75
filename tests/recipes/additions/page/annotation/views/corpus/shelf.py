"""The shelf: how many data sets a researcher sees."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus.corpus import visible_datasets


@researcher_required
@require_GET
def shelf(request: HttpRequest) -> HttpResponse:
    count = visible_datasets(signed_in_user(request)).count()
    return render(request, "annotation/shelf_page.html", {"section": "shelf", "count": count})
