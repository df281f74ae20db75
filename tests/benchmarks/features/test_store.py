import numpy as np
import pytest
from django.core.exceptions import ValidationError

from benchmarks.models import FeatureSet
from benchmarks.selectors.features import arrays_of, feature_sets_for_user
from benchmarks.services.features import FeaturesRequest, folder_of, store_features
from tests.benchmarks.made import reading_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


def arrays(width=3):
    for number, uid in enumerate(("tea-1", "a/b?", "tea-2")):
        yield uid, np.full((number + 2, width), number, dtype=np.float32)


def test_stored_features_are_read_as_they_were_given(sample, owner, outsider):
    made = store_features(
        dataset=sample,
        request=FeaturesRequest("Omnivore", 2.0),
        read=reading_of(arrays()),
        actor=owner,
    )
    read = arrays_of(made)
    assert {uid: array.tolist() for uid, array in read.items()} == {
        uid: array.tolist() for uid, array in arrays()
    }
    assert isinstance(read["a/b?"], np.memmap)
    assert (made.width, made.seconds_per_row, len(made.content_hash)) == (3, 2.0, 64)
    assert list(feature_sets_for_user(owner, sample)) == [made]
    assert not feature_sets_for_user(outsider, sample).exists()


def test_nothing_is_kept_of_features_that_break_off(sample, owner):
    def broken():
        yield from arrays()
        raise ValueError("the third file is damaged")

    request = FeaturesRequest("Omnivore")
    with pytest.raises(ValueError, match="third file"):
        store_features(dataset=sample, request=request, read=reading_of(broken()), actor=owner)
    assert not FeatureSet.objects.exists()
    assert not any(folder_of(FeatureSet(public_id="x")).parent.iterdir())


def test_a_name_that_is_taken_while_the_files_are_read_is_refused(sample, owner):
    request = FeaturesRequest("Omnivore")

    def slow():
        store_features(dataset=sample, request=request, read=reading_of(arrays()), actor=owner)
        yield from arrays()

    with pytest.raises(ValidationError, match="'Omnivore' of Everyday already"):
        store_features(dataset=sample, request=request, read=reading_of(slow()), actor=owner)
    [kept] = FeatureSet.objects.all()
    assert [folder.name for folder in folder_of(kept).parent.iterdir()] == [kept.public_id]
