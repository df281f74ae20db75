"""Campaigns with raters and traces, allocated as the site does it."""

from annotation.services.campaigns.campaigns import add_datasets, add_raters
from tests.factories import CampaignFactory, DatasetFactory, TraceFactory, UserFactory


def make_dataset(trace_count: int):
    dataset = DatasetFactory()
    for _ in range(trace_count):
        TraceFactory(dataset=dataset)
    return dataset


def make_campaign(*, traces: int = 6, raters: int = 3, overlap: int = 2, seed: int = 5):
    campaign = CampaignFactory(overlap=overlap, seed=seed)
    add_datasets(campaign=campaign, datasets=[make_dataset(traces)], actor=None)
    people = UserFactory.create_batch(raters)
    add_raters(campaign=campaign, raters=people, actor=None)
    return campaign, people
