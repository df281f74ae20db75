"""V2 and V3: one transformer layer over the rows of a step, with PyTorch.

V3 concatenates several modalities, cuts the output into as many parts again, and scores their
weighted sum. There is no positional encoding, as in the released code.
"""

import numpy as np
import torch
from torch import nn

from benchmarks.engine.training.examples import Rows
from benchmarks.engine.training.recipes import Recipe
from benchmarks.engine.training.step_model import Start
from benchmarks.engine.training.torch_model import TorchModel


class _Network(nn.Module):
    """From the concatenated rows of all modalities, (n, M * d), to a logit for each row, (n,)."""

    def __init__(self, recipe: Recipe, width: int) -> None:
        super().__init__()
        self.count, self.width = len(recipe.weights), width
        self.register_buffer("shares", torch.tensor(recipe.weights), persistent=False)
        self.encoder = nn.TransformerEncoderLayer(
            width * self.count, recipe.heads, recipe.feedforward, recipe.dropout, batch_first=True
        )
        self.head = nn.Sequential(
            nn.Linear(width, recipe.hidden), nn.ReLU(), nn.Linear(recipe.hidden, 1)
        )

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        parts = self.encoder(rows[None])[0].view(len(rows), self.count, self.width)
        return self.head((parts * self.shares[:, None]).sum(dim=1))[:, 0]


class Transformer(TorchModel):
    """Pads features with zeros to one width that is a multiple of the number of heads."""

    def __init__(self, start: Start) -> None:
        recipe = start.recipe
        self._width = -(-max(start.widths) // recipe.heads) * recipe.heads
        torch.manual_seed(start.seed)
        super().__init__(recipe, _Network(recipe, self._width))
        weight = torch.tensor(float(start.class_weights[1]), device=self.device)
        self._bce = nn.BCEWithLogitsLoss(pos_weight=weight)

    def rows(self, features: tuple[Rows, ...]) -> torch.Tensor:
        return super().rows(
            tuple(np.pad(array, ((0, 0), (0, self._width - array.shape[1]))) for array in features)
        )

    def loss(self, rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self._bce(self.network(rows), labels.float())

    def shares(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.network(rows))[:, None]
