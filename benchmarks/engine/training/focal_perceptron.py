"""MLP-focal of EgoOops: two layers on the mean of a segment and its words, with PyTorch.

Its loss is the focal loss of Lin et al. (2017) with the class weights of Cui et al. (2019), over a
softmax.
"""

import torch
from torch import nn

from benchmarks.engine.training.step_model import Start
from benchmarks.engine.training.torch_model import TorchModel


class FocalPerceptron(TorchModel):
    """Examples whose class the network is sure of count less, the more so the higher gamma is."""

    def __init__(self, start: Start) -> None:
        torch.manual_seed(start.seed)
        recipe, class_count = start.recipe, len(start.class_weights)
        first = nn.Linear(sum(start.widths), recipe.hidden)
        second = nn.Linear(recipe.hidden, class_count)
        super().__init__(recipe, nn.Sequential(first, nn.ReLU(), second))
        assert recipe.gamma is not None
        self._gamma = recipe.gamma
        self._class_weights = torch.from_numpy(start.class_weights).to(self.device)

    def loss(self, rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        entropies = nn.functional.cross_entropy(self.network(rows), labels, reduction="none")
        unsure = (1 - torch.exp(-entropies)) ** self._gamma
        return (self._class_weights[labels] * unsure * entropies).mean()

    def shares(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.network(rows), dim=1)[:, 1:]
