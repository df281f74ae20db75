"""Answers of frames the whole way: freeze, arrays and CSV, a person, a model, pages, the table."""

import io

import numpy as np
import pytest

from benchmarks.engine.frame_values import unpack_frames
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.asked import assessed, model
from tests.benchmarks.made import baseline_values, figures_of, frozen_set, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
SAID = '{"intervals": [{"start_s": 1, "end_s": 3, "number": 1}]}'


@pytest.mark.parametrize("task", ["anomaly", "procedure_learning"])
def test_frames_are_uploaded_answered_and_shown(sample, owner, owner_client, task):
    settings = {"recordings": "all recordings"} if task == "procedure_learning" else {}
    made = frozen_set(sample, owner, task, settings=settings)
    baseline = made.assessments.order_by("pk")[1]
    arrays = {key: unpack_frames(value) for key, value in baseline_values(made, 1).items()}
    file = io.BytesIO()
    np.savez(file, **arrays)
    rows = [
        f"{key},{frame},{number}"
        for key, numbers in arrays.items()
        for frame, number in enumerate(numbers.tolist())
    ]

    from_arrays = uploaded(made, owner, "", "theirs.npz", content=file.getvalue())
    from_csv = uploaded(made, owner, "\n".join(["key,frame,value", *rows]))
    answers = iter(["no intervals at all"])
    with AnsweringServer(answers=lambda body: next(answers, SAID)) as server:
        asked = assessed(made, model(server, owner), owner)
    person = owner_client.post(f"/benchmarks/sets/{made.public_id}/people/")
    item = made.items.first()
    sent = owner_client.post(person.url, {"item": item.key, "intervals": "0.5, 2, 1"})
    again = owner_client.get(f"{person.url}?item={item.key}").content.decode()
    owner_client.post(f"{person.url}finish/")

    assert figures_of(from_arrays) == figures_of(from_csv) == figures_of(baseline)
    # Recordings of one procedure that are as long are asked the same, once.
    malformed = asked.answers.filter(status="malformed")
    assert len(set(malformed.values_list("call", flat=True))) == 1
    assert asked.counts["malformed"] + asked.counts["read"] == made.item_count
    assert sent.status_code == 302
    assert "0.5, 2, 1" in again
    page = owner_client.get(f"/benchmarks/sets/{made.public_id}/items/{item.key}/")
    assert "different numbers" in page.content.decode()
    for address in (f"sets/{made.public_id}/", f"assessments/{from_csv.public_id}/"):
        assert owner_client.get(f"/benchmarks/{address}").status_code == 200
    template = owner_client.get(f"/benchmarks/sets/{made.public_id}/download/template-csv/")
    assert template.getvalue().decode().splitlines()[0] == "key,frame,value"
