"""Training the network of the block model with numpy: forward, backward, Adam. Same rows and seed, same weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.features.block_groups import Groups
from nexus.text.extraction.features.element_features import Floats, Ints
from nexus.text.extraction.neural_net import LAYERS, Net, Source, gather_all, standard, tag_columns

Weights = dict[str, Floats]
WIDTH = 64
_EPOCHS = 5
_GATHERED = 16  # numbers taken from each source
_RATE = 2e-3
_WARM_UP = 50
_DECAY = 3e-3
_DROPPED = 0.25
_BATCH_ROWS = 1000
_AVERAGED = 0.99
# Fifteen pages of the corpus are longer and hold 7 % of its blocks: each would be a batch of its own.
_MAX_BLOCKS = 1500


@dataclass(frozen=True, slots=True)
class Rows:
    """The blocks of all pages, one page after the other; `edges` says where each begins."""

    matrix: Floats
    damped: Floats
    labels: Floats
    weights: Floats  # 1 a page in all
    edges: Ints
    groups: list[Groups | None]


@dataclass(frozen=True, slots=True)
class _Batch:
    rows: Ints
    sizes: list[int]
    groups: Groups
    ranges: list[tuple[Ints, Ints, Groups]]


def join(parts: list[Groups]) -> Groups:
    starts = np.cumsum([0, *(len(p.template) for p in parts)])
    kinds = np.cumsum([0, *(len(p.template_starts) for p in parts)])
    return Groups.build(
        np.concatenate([p.low + at for p, at in zip(parts, starts, strict=False)]),
        np.concatenate([p.high + at for p, at in zip(parts, starts, strict=False)]),
        np.concatenate([p.template + at for p, at in zip(parts, kinds, strict=False)]),
    )


def _batch(rows: Rows, pages: list[int]) -> _Batch:
    groups = join([g for p in pages if (g := rows.groups[p]) is not None])
    count = len(groups.template)
    ranges = []
    for low, high in zip(groups.low.T, groups.high.T, strict=True):
        ends, number = np.unique(low * (count + 1) + high, return_inverse=True)
        ranges.append((ends // (count + 1), ends % (count + 1), Groups.build(groups.low, groups.high, number)))
    spans = [np.arange(rows.edges[p], rows.edges[p + 1]) for p in pages]
    return _Batch(np.concatenate(spans), [len(s) for s in spans], groups, ranges)


def batches(rows: Rows, pages: list[int]) -> list[_Batch]:
    found, gathered, size = [], [], 0
    for page in pages:
        gathered.append(page)
        size += int(rows.edges[page + 1] - rows.edges[page])
        if size >= _BATCH_ROWS:
            found.append(_batch(rows, gathered))
            gathered, size = [], 0
    return [*found, _batch(rows, gathered)] if gathered else found


def _scatter(batch: _Batch, slope: Floats, source: Source) -> Floats:
    """The reverse of `gather`."""
    where, which = source
    if where == "beside":
        return batch.groups.beside(slope, -which)
    if where == "template":
        return batch.groups.of_template(slope)
    low, high, holders = batch.ranges[which]
    totals = np.add.reduceat(slope[holders.by_template], holders.template_starts, axis=0) / (high - low)[:, None]
    steps = np.zeros((len(slope) + 1, slope.shape[1]))
    np.add.at(steps, low, totals)
    np.add.at(steps, high, -totals)
    back: Floats = np.cumsum(steps, axis=0)[:-1].astype(np.float32)
    return back


def new_weights(width: int, rng: np.random.Generator) -> Weights:
    def random(height: int, breadth: int, scale: float = 1.0) -> Floats:
        values: Floats = (rng.standard_normal((height, breadth)) * np.sqrt(2 / height) * scale).astype(np.float32)
        return values

    weights = {"own": random(width, WIDTH), "own_bias": np.zeros(WIDTH, np.float32)}
    for i, sources in enumerate(LAYERS):
        gathered = _GATHERED * len(sources)
        weights[f"hear{i}"] = random(WIDTH, gathered)
        weights[f"layer{i}"] = random(WIDTH + gathered, WIDTH, 0.7)
        weights[f"layer{i}_bias"] = np.zeros(WIDTH, np.float32)
    return weights | {"out": random(WIDTH, 1, 0.3), "out_bias": np.full(1, -1, np.float32)}


class Pass:
    """One pass through the network, forward and backward."""

    def __init__(self, weights: Weights, batch: _Batch, rng: np.random.Generator) -> None:
        self.w, self.batch, self.rng = weights, batch, rng

    def _rectified(self, values: Floats) -> tuple[Floats, Floats]:
        stays = (values > 0) & (self.rng.random(values.shape, dtype=np.float32) > _DROPPED)
        gate: Floats = stays.astype(np.float32) / np.float32(1 - _DROPPED)
        return values * gate, gate

    def forward(self, inputs: Floats) -> Floats:
        w, self.inputs = self.w, inputs
        state, self.own_gate = self._rectified(inputs @ w["own"] + w["own_bias"])
        self.steps: list[tuple[Floats, Floats, Floats]] = []
        for i, sources in enumerate(LAYERS):
            known = np.hstack([state, *gather_all(self.batch.groups, state @ w[f"hear{i}"], sources)])
            added, gate = self._rectified(known @ w[f"layer{i}"] + w[f"layer{i}_bias"])
            self.steps.append((state, known, gate))
            state = state + added
        self.last = state
        result: Floats = (state @ w["out"])[:, 0] + w["out_bias"][0]
        return result

    def backward(self, slope: Floats) -> Weights:
        w = self.w
        slopes: dict[str, Any] = {"out": self.last.T @ slope[:, None], "out_bias": slope.sum(keepdims=True)}
        at = slope[:, None] * w["out"][:, 0]
        for i in reversed(range(len(LAYERS))):
            state, known, gate = self.steps[i]
            gated: Floats = at * gate
            slopes[f"layer{i}"], slopes[f"layer{i}_bias"] = known.T @ gated, gated.sum(axis=0)
            back: Floats = gated @ w[f"layer{i}"].T
            parts = np.split(back[:, WIDTH:], len(LAYERS[i]), axis=1)
            gathered = np.hstack([_scatter(self.batch, p, s) for p, s in zip(parts, LAYERS[i], strict=True)])
            slopes[f"hear{i}"] = state.T @ gathered
            at = at + back[:, :WIDTH] + gathered @ w[f"hear{i}"].T
        gated = at * self.own_gate
        return slopes | {"own": self.inputs.T @ gated, "own_bias": gated.sum(axis=0)}


def slope_of_loss(log_odds: Floats, rows: Rows, batch: _Batch) -> Floats:
    """The gradient of the cross entropy, a mean over pages. With half of the loss on each page's soft word F1 it was
    too sure: log loss 0.246 and 0.262 on two folds, 0.236 and 0.237 without, and the choice reads probabilities."""
    likely = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
    slope: Floats = (rows.weights[batch.rows] * (likely - rows.labels[batch.rows]) / len(batch.sizes)).astype(
        np.float32
    )
    return slope


class _Adam:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.first = {k: np.zeros_like(v) for k, v in weights.items()}
        self.second = {k: np.zeros_like(v) for k, v in weights.items()}
        self.count = 0

    def step(self, slopes: Weights, rate: float) -> None:
        self.count += 1
        for name, slope in slopes.items():
            self.first[name] = 0.9 * self.first[name] + 0.1 * slope
            self.second[name] = 0.99 * self.second[name] + 0.01 * slope**2
            way = self.first[name] / (1 - 0.9**self.count)
            way /= np.sqrt(self.second[name] / (1 - 0.99**self.count)) + 1e-8
            if not name.endswith("bias"):
                way += _DECAY * self.weights[name]
            self.weights[name] = (self.weights[name] - rate * way).astype(np.float32)


def fit_net(rows: Rows, pages: list[int], seed: int = 1) -> Net:
    """The network trained on `pages`; its weights are the mean over the second half of the steps."""
    rng = np.random.default_rng(seed)
    short = [p for p in pages if 0 < rows.edges[p + 1] - rows.edges[p] <= _MAX_BLOCKS]
    todo = batches(rows, rng.permutation(short).tolist())
    seen: npt.NDArray[np.int64] = np.concatenate([b.rows for b in todo])
    mean = rows.damped[seen].mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = (rows.damped[seen].std(axis=0, dtype=np.float64) + 1e-3).astype(np.float32)
    adam = _Adam(new_weights(rows.matrix.shape[1] + tag_columns(rows.matrix[:1]).shape[1], rng))
    steps, averaged = _EPOCHS * len(todo), adam.weights
    for _ in range(_EPOCHS):
        for index in rng.permutation(len(todo)).tolist():
            batch = todo[index]
            inputs = standard(rows.damped[batch.rows], mean, spread)
            way = Pass(adam.weights, batch, rng)
            log_odds = way.forward(np.hstack([inputs, tag_columns(rows.matrix[batch.rows])]))
            rate = _RATE * min(1.0, (adam.count + 1) / _WARM_UP) * (1 - adam.count / steps)
            adam.step(way.backward(slope_of_loss(log_odds, rows, batch)), rate)
            share = _AVERAGED if adam.count > steps / 2 else 0.0
            averaged = {k: (share * averaged[k] + (1 - share) * v).astype(np.float32) for k, v in adam.weights.items()}
    return Net(mean, spread, averaged)
