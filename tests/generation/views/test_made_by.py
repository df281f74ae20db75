"""What the pages of the corpus say about what a run made."""

import pytest
from django.urls import reverse

from annotation.models import Dataset, Trace
from annotation.selectors.corpus.pages import proposed_types
from generation.models import Run
from generation.services.run_work import work_on_takes

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(full_run):
    """Return the data set that a run made."""
    work_on_takes(job_ids=list(full_run.run_takes.values_list("job_id", flat=True)))
    return Dataset.objects.get(produced_by=full_run)


def pages_of(dataset, client):
    """Return what the pages of the data set and of one of its traces say."""
    addresses = (
        reverse("dataset-detail", args=[dataset.public_id]),
        reverse("trace-detail", args=[Trace.objects.filter(dataset=dataset)[0].public_id]),
    )
    return [client.get(address).content.decode() for address in addresses]


def test_pages_of_a_published_data_set_link_to_the_run(made, full_run, owner_client):
    link = f'made by run <a href="{reverse("run-detail", args=[full_run.public_id])}">'

    assert [link in page for page in pages_of(made, owner_client)] == [True, True]


def test_a_shared_data_set_does_not_tell_of_a_run_that_is_not_shared(made, outsider_client):
    Dataset.objects.filter(pk=made.pk).update(is_shared=True)
    hidden = [("made by run" in page) for page in pages_of(made, outsider_client)]
    Run.objects.update(is_shared=True)
    shown = [("made by run" in page) for page in pages_of(made, outsider_client)]

    assert (hidden, shown) == ([False, False], [True, True])


def test_data_set_of_a_run_shows_what_was_planned_instead_of_native_labels(made, owner_client):
    page = pages_of(made, owner_client)[0]

    assert "Planned types" in page
    assert "The source has no labels" not in page
    planned = proposed_types(made)
    assert planned
    assert [label.name in page for label in planned] == [True] * len(planned)


def test_page_of_a_published_trace_says_in_words_who_judged(made, owner_client):
    page = pages_of(made, owner_client)[1]

    assert "judged by the rules" in page
    assert "judge: none" not in page


def test_page_of_a_take_names_the_data_sets_whose_traces_are_read_against_it(
    made, full_run, owner_client, outsider_client
):
    trace = Trace.objects.filter(dataset=made)[0]
    # Others may see the takes, but not what was made of them.
    Dataset.objects.filter(pk=full_run.dataset_id).update(is_shared=True)
    take, takes = (
        reverse("take-detail", args=[trace.take.public_id]),
        reverse("dataset-detail", args=[full_run.dataset.public_id]),
    )
    link = f'1 in <a href="{reverse("dataset-detail", args=[made.public_id])}">{made.name}</a>'

    assert link in owner_client.get(take).content.decode()
    assert f"1 in {made.name}</a>" in owner_client.get(takes).content.decode()
    assert made.name not in outsider_client.get(take).content.decode()
    assert made.name not in outsider_client.get(takes).content.decode()
