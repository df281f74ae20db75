"""V2 and V3: one transformer layer over the rows of a step, with PyTorch.

V3 joins several modalities side by side, cuts what comes out into as many parts again, and scores
their weighted sum. There is no code of positions, as in the released code.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from benchmarks.engine.training.examples import Batch, Floats, Rows
from benchmarks.engine.training.recipes import Recipe
from benchmarks.engine.training.step_model import State, StepModel


class _Network(nn.Module):
    """Rows of all modalities side by side, (n, M * d), to a logit of each row, (n,)."""

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


class Transformer(StepModel):
    """Features are filled up with zeros to one width, which the heads of the layer divide."""

    def __init__(self, recipe: Recipe, widths: tuple[int, ...], seed: int) -> None:
        self._recipe = recipe
        self._width = -(-max(widths) // recipe.heads) * recipe.heads
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(seed)
        self._network = _Network(recipe, self._width).to(self._device)
        self._adam = torch.optim.Adam(
            self._network.parameters(),
            recipe.learning_rate,
            weight_decay=recipe.weight_decay,
            # A step takes a third of the time.
            fused=True,
        )
        weight = torch.tensor(recipe.positive_weight, device=self._device)
        self._loss = nn.BCEWithLogitsLoss(pos_weight=weight)

    def fit(self, batches: Iterable[Batch], learning_rate: float, seed: int) -> float:
        # What dropout leaves out.
        torch.manual_seed(seed)
        self._network.train()
        self._adam.param_groups[0]["lr"] = learning_rate
        losses = []
        for batch in batches:
            labels = torch.from_numpy(batch.labels.astype(np.float32)).to(self._device)
            loss = self._loss(self._network(self._joined(batch.features)), labels)
            self._adam.zero_grad()
            loss.backward()
            if self._recipe.clip_norm is not None:
                nn.utils.clip_grad_norm_(self._network.parameters(), self._recipe.clip_norm)
            self._adam.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    def _joined(self, features: tuple[Rows, ...]) -> torch.Tensor:
        padded = [np.pad(one, ((0, 0), (0, self._width - one.shape[1]))) for one in features]
        return torch.from_numpy(np.hstack(padded)).to(self._device)

    def predict(self, features: tuple[Rows, ...]) -> Floats:
        self._network.eval()
        with torch.no_grad():
            scores = torch.sigmoid(self._network(self._joined(features)))
        found: Floats = scores.cpu().numpy().astype(np.float64)
        return found

    def weights(self) -> State:
        return {name: _copied(one) for name, one in self._network.state_dict().items()}

    def memory(self) -> State:
        return {
            f"{place} {name}": _copied(one)
            for place, kept in self._adam.state_dict()["state"].items()
            for name, one in kept.items()
        }

    def restore(self, weights: State, memory: State | None = None) -> None:
        self._network.load_state_dict(_tensors(weights))
        if memory is None:
            return
        kept: dict[int, dict[str, torch.Tensor]] = {}
        for key, one in _tensors(memory).items():
            place, _, name = key.partition(" ")
            kept.setdefault(int(place), {})[name] = one
        groups = self._adam.state_dict()["param_groups"]
        self._adam.load_state_dict({"state": kept, "param_groups": groups})


def _copied(one: torch.Tensor) -> npt.NDArray[np.generic]:
    found: npt.NDArray[np.generic] = one.detach().cpu().numpy().copy()
    return found


def _tensors(state: State) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.array(one)) for name, one in state.items()}
