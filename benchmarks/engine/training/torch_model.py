"""The base of models in PyTorch: training with Adam, storing and restoring."""

from abc import abstractmethod
from collections.abc import Iterable

import numpy as np
import torch
from torch import nn

from benchmarks.engine.training.examples import Batch, Floats, Rows
from benchmarks.engine.training.recipes import Recipe
from benchmarks.engine.training.step_model import State, StepModel


class TorchModel(StepModel):
    """A subclass seeds the initial weights of its network, and defines the loss of a batch."""

    def __init__(self, recipe: Recipe, network: nn.Module) -> None:
        self._clip_norm = recipe.clip_norm
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.network = network.to(self.device)
        self._adam = torch.optim.Adam(
            self.network.parameters(),
            recipe.learning_rate,
            weight_decay=recipe.weight_decay,
            # Takes a third of the time.
            fused=True,
        )

    @abstractmethod
    def loss(self, rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The mean loss of rows, (n, W), by their labels, (n,)."""

    @abstractmethod
    def shares(self, rows: torch.Tensor) -> torch.Tensor:
        """The probability of each class but the first, (n, C - 1)."""

    def rows(self, features: tuple[Rows, ...]) -> torch.Tensor:
        """Feature arrays as the network's input, (n, W)."""
        return torch.from_numpy(np.hstack(features)).to(self.device)

    def fit(self, batches: Iterable[Batch], learning_rate: float, seed: int) -> float:
        # Decides what dropout leaves out.
        torch.manual_seed(seed)
        self.network.train()
        self._adam.param_groups[0]["lr"] = learning_rate
        losses = []
        for batch in batches:
            labels = torch.from_numpy(batch.labels).to(self.device)
            loss = self.loss(self.rows(batch.features), labels)
            self._adam.zero_grad()
            loss.backward()
            if self._clip_norm is not None:
                nn.utils.clip_grad_norm_(self.network.parameters(), self._clip_norm)
            self._adam.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    def predict(self, features: tuple[Rows, ...]) -> Floats:
        self.network.eval()
        with torch.no_grad():
            shares = self.shares(self.rows(features))
        scores: Floats = shares.cpu().numpy().astype(np.float64)
        return scores

    def weights(self) -> State:
        return _arrays(self.network.state_dict())

    def memory(self) -> State:
        states = self._adam.state_dict()["state"].items()
        return _arrays(
            {f"{place} {name}": row for place, state in states for name, row in state.items()}
        )

    def restore(self, weights: State, memory: State | None = None) -> None:
        self.network.load_state_dict(_tensors(weights))
        if memory is None:
            return
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, tensor in _tensors(memory).items():
            place, _, name = key.partition(" ")
            state.setdefault(int(place), {})[name] = tensor
        groups = self._adam.state_dict()["param_groups"]
        self._adam.load_state_dict({"state": state, "param_groups": groups})


def _arrays(tensors: dict[str, torch.Tensor]) -> State:
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}


def _tensors(state: State) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.array(array)) for name, array in state.items()}
