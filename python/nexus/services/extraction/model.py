"""The shipped block model: boosted trees as flat arrays, walked for all blocks and trees at once."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from nexus.services.extraction.lexicon import Lexicon
from nexus.services.extraction.nodes import Floats

MODEL_FILE = "block_model.npz"
# What is walked at once must fit the processor's cache: 20 000 blocks in one go took three times as long.
_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class Forest:
    """Right children follow their left ones; a leaf is its own left child below an infinite threshold."""

    roots: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    threshold: Floats
    left: npt.NDArray[np.int32]
    value: Floats
    depth: int

    def probabilities(self, matrix: Floats) -> Floats:
        parts = [self._walk(matrix[at : at + _AT_ONCE]) for at in range(0, len(matrix), _AT_ONCE)]
        raw = np.concatenate(parts)
        result: Floats = (1.0 / (1.0 + np.exp(-raw))).astype(np.float32)
        return result

    def _walk(self, matrix: Floats) -> npt.NDArray[np.float64]:
        count, width = matrix.shape
        flat = np.ascontiguousarray(matrix).reshape(-1)
        row = (np.arange(count, dtype=np.int32) * width)[:, None]
        state = np.broadcast_to(self.roots, (count, len(self.roots)))
        for _ in range(self.depth):
            seen = flat.take(self.feature.take(state) + row)
            state = self.left.take(state) + (seen > self.threshold.take(state))
        raw: npt.NDArray[np.float64] = self.value.take(state).sum(axis=1, dtype=np.float64)
        return raw


@dataclass(frozen=True, slots=True)
class BlockModel:
    lexicon: Lexicon
    forest: Forest


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


def read_model(raw: bytes) -> BlockModel:
    with np.load(BytesIO(raw), allow_pickle=False) as archive:
        data = {name: archive[name] for name in archive.files}
    return BlockModel(_lexicon(data), _forest(data))


@cache
def shipped_model() -> BlockModel:
    return read_model(files(__package__).joinpath(MODEL_FILE).read_bytes())
