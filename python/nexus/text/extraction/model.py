"""The shipped block model: boosted trees as flat arrays, evaluated for many blocks at once, and networks."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.features.block_groups import Groups
from nexus.text.extraction.features.element_features import Floats
from nexus.text.extraction.features.lexicon import Lexicon
from nexus.text.extraction.neural_net import Net

MODEL_FILE = "block_model.npz"
# A batch must fit into the processor's cache: 20 000 blocks at once took three times as long.
_BATCH_ROWS = 128
_NET = "net{}_"
_SUREST = 30.0


@dataclass(frozen=True, slots=True)
class Forest:
    """Right children follow their left ones; a leaf is its own left child below an infinite threshold."""

    roots: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    threshold: Floats
    left: npt.NDArray[np.int32]
    value: Floats
    depth: int

    def log_odds(self, matrix: Floats) -> Floats:
        parts = [self._walk(matrix[at : at + _BATCH_ROWS]) for at in range(0, len(matrix), _BATCH_ROWS)]
        return np.concatenate(parts)

    def _walk(self, matrix: Floats) -> Floats:
        count, width = matrix.shape
        flat = np.ascontiguousarray(matrix).reshape(-1)
        row = (np.arange(count, dtype=np.int32) * width)[:, None]
        state = np.broadcast_to(self.roots, (count, len(self.roots)))
        for _ in range(self.depth):
            seen = flat.take(self.feature.take(state) + row)
            state = self.left.take(state) + (seen > self.threshold.take(state))
        raw: Floats = self.value.take(state).sum(axis=1, dtype=np.float64).astype(np.float32)
        return raw


@dataclass(frozen=True, slots=True)
class BlockModel:
    lexicon: Lexicon
    forest: Forest
    nets: tuple[Net, ...]

    def probabilities(self, matrix: Floats, groups: Groups) -> Floats:
        nets = np.mean([net.log_odds(matrix, groups) for net in self.nets], axis=0)
        return mean_probability(self.forest.log_odds(matrix), nets)


def mean_probability(trees: Floats, nets: Floats) -> Floats:
    """They err on different blocks: docs/reference/block-model.md has the figures of each alone and of both."""
    log_odds = np.clip((trees + nets) / 2, -_SUREST, _SUREST)
    result: Floats = (1.0 / (1.0 + np.exp(-log_odds))).astype(np.float32)
    return result


def _lexicon(data: dict[str, npt.NDArray[np.generic]]) -> Lexicon:
    tables = []
    for name in ("path", "text", "weights"):
        words = bytes(data[f"{name}_words"].tobytes()).decode("utf-8").split("\n")
        tables.append(dict(zip(words, data[f"{name}_odds"].astype(float).tolist(), strict=True)))
    return Lexicon(*tables)


def _forest(data: dict[str, npt.NDArray[np.generic]]) -> Forest:
    return Forest(
        data["roots"].astype(np.int32),
        data["feature"].astype(np.int32),
        data["threshold"].astype(np.float32),
        data["left"].astype(np.int32),
        data["value"].astype(np.float32),
        int(data["depth"].item()),
    )


def _nets(data: dict[str, npt.NDArray[np.generic]]) -> tuple[Net, ...]:
    nets: list[Net] = []
    while weights := _arrays_with_prefix(data, _NET.format(len(nets))):
        nets.append(Net(weights.pop("mean"), weights.pop("spread"), weights))
    return tuple(nets)


def _arrays_with_prefix(data: dict[str, npt.NDArray[np.generic]], prefix: str) -> dict[str, Floats]:
    return {k.removeprefix(prefix): v.astype(np.float32) for k, v in data.items() if k.startswith(prefix)}


def read_model(raw: bytes) -> BlockModel:
    with np.load(BytesIO(raw), allow_pickle=False) as archive:
        data = {name: archive[name] for name in archive.files}
    return BlockModel(_lexicon(data), _forest(data), _nets(data))


@cache
def shipped_model() -> BlockModel:
    return read_model(files(__package__).joinpath(MODEL_FILE).read_bytes())
