"""MLP-focal: two layers on the mean of a segment and its words, as EgoOops has it, with PyTorch.

The focal loss of Lin et al. (2017) with the class weights of Cui et al. (2019), over a softmax.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from benchmarks.engine.training.recipes import Recipe
from benchmarks.engine.training.torch_model import TorchModel


class FocalPerceptron(TorchModel):
    """Examples whose class it is sure of count less, the more so the higher gamma is."""

    def __init__(
        self,
        recipe: Recipe,
        widths: tuple[int, ...],
        class_weights: npt.NDArray[np.float32],
        seed: int,
    ) -> None:
        torch.manual_seed(seed)
        layers = nn.Linear(sum(widths), recipe.hidden), nn.Linear(recipe.hidden, len(class_weights))
        super().__init__(recipe, nn.Sequential(layers[0], nn.ReLU(), layers[1]))
        assert recipe.gamma is not None
        self._gamma = recipe.gamma
        self._class_weights = torch.from_numpy(class_weights).to(self.device)

    def loss(self, rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        entropies = nn.functional.cross_entropy(self.network(rows), labels, reduction="none")
        unsure = (1 - torch.exp(-entropies)) ** self._gamma
        return (self._class_weights[labels] * unsure * entropies).mean()

    def shares(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.network(rows), dim=1)[:, 1:]
