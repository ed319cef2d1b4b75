"""Train the block model and say how well it does on sites it has not seen.

    python -m bench.blocks.votes --corpus WILD.jsonl.xz --out VOTES.json.xz
    python -m bench.train_blocks --corpus WCXB.jsonl.xz WILD.jsonl.xz --votes VOTES.json.xz
        [--out MODEL.npz] [--predictions OOF.json]

Every figure is out of fold, folds are split by site, and the same pages give the same model file. Set
OPENBLAS_NUM_THREADS=1: the trainers run side by side, and the last digits of a product depend on its threads.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from itertools import pairwise, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from bench.blocks.dataset import Dataset, build_dataset
from bench.blocks.export_model import model_file
from bench.blocks.fit_net import Rows, fit_net
from bench.blocks.weak_labels import read_votes
from bench.corpus import FOLDS, fold_of, load_corpus, score_by_kind
from nexus.text.extraction import model as shipped
from nexus.text.extraction.features.block_table import BlockTable
from nexus.text.extraction.features.element_features import Floats
from nexus.text.extraction.neural_net import Net, damped
from nexus.text.extraction.select_blocks import choose

_ROUNDS = 260
_SEEDS = (1, 2, 3)
# One thread: the same rows then give the same trees, and folds are trained side by side instead.
_PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 31,
    "max_depth": 8,
    "learning_rate": 0.1,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.5,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "use_missing": False,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
_EVERY_PAGE = -1
Task = tuple[str, int, int]  # "trees" or "net", the fold that it must not see, seed


class _Shared:
    """What the forked trainers inherit: half a gigabyte of rows that must not be pickled to each of them."""

    data: Dataset
    rows: Rows


def _rows(data: Dataset) -> Rows:
    """A block that is half gold says little, so it weighs little."""
    weight = (data.weights * (np.abs(2 * data.labels - 1) + 0.05) / 100).astype(np.float32)
    edges = np.searchsorted(data.page_of_row, np.arange(len(data.samples) + 1))
    return Rows(data.matrix, damped(data.matrix), data.labels, weight, edges, data.groups)


def _fit_trees(unseen: int, seed: int) -> str:
    data, rows = _Shared.data, _Shared.data.fold_of_row != unseen
    weight = _Shared.rows.weights[rows] * 100
    train = lightgbm.Dataset(data.matrix[rows], (data.labels[rows] > 0.5).astype(int), weight=weight)  # noqa: PLR2004
    return str(lightgbm.train(_PARAMETERS | {"seed": seed}, train, num_boost_round=_ROUNDS).model_to_string())


def _fit(task: Task) -> tuple[Task, str | Net]:
    kind, unseen, seed = task
    started = time.monotonic()
    pages = [i for i, s in enumerate(_Shared.data.samples) if fold_of(s) != unseen]
    found = _fit_trees(unseen, seed) if kind == "trees" else fit_net(_Shared.rows, pages, seed)
    print(f"{kind} {seed} without fold {unseen}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return task, found


def _fit_all(data: Dataset, rows: Rows, processes: int) -> dict[Task, Any]:
    """The models to ship, and those for each fold that have not seen it."""
    _Shared.data, _Shared.rows = data, rows
    tasks = list(product(("trees", "net"), (_EVERY_PAGE, *range(FOLDS)), _SEEDS))
    with get_context("fork").Pool(processes) as pool:
        found = pool.map(_fit, tasks, chunksize=1)
    return {task: lightgbm.Booster(model_str=model) if isinstance(model, str) else model for task, model in found}


def _log_odds(rows: Rows, models: dict[Task, Any], folds: list[int]) -> tuple[Floats, Floats]:
    """The log odds of the forests and of the networks, for each page by those that have not seen its site."""
    trees, nets = [], []
    for (low, high), fold, groups in zip(pairwise(rows.edges.tolist()), folds, rows.groups, strict=True):
        if groups is not None:
            matrix = rows.matrix[low:high]
            trees.append(np.mean([models["trees", fold, s].predict(matrix, raw_score=True) for s in _SEEDS], axis=0))
            nets.append(np.mean([models["net", fold, s].log_odds(matrix, groups) for s in _SEEDS], axis=0))
    return np.concatenate(trees), np.concatenate(nets)


def _texts(data: Dataset, probability: Floats) -> list[str]:
    edges = np.searchsorted(data.page_of_row, np.arange(len(data.samples) + 1)).tolist()
    texts = []
    for page, (low, high) in zip(data.pages, pairwise(edges), strict=True):
        traits = BlockTable(data.matrix[low:high])
        kept = choose(page.layout, traits, probability[low:high]) if high > low else []
        texts.append("\n".join(page.layout.texts[i] for i in kept))
    return texts


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--votes", type=Path, help="for the pages that have no gold text")
    parser.add_argument("--out", type=Path, default=Path(shipped.__file__).with_name(shipped.MODEL_FILE))
    parser.add_argument("--predictions", type=Path, help="write the out-of-fold texts, {id: text}")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def _shipped_ones(models: dict[Task, Any], kind: str) -> Sequence[Any]:
    return [models[kind, _EVERY_PAGE, seed] for seed in _SEEDS]


def main() -> None:
    arguments = _arguments()
    samples = load_corpus(*arguments.corpus)
    data = build_dataset(samples, read_votes(arguments.votes), arguments.processes)
    print(f"{len(samples)} pages, {len(data.matrix)} blocks", file=sys.stderr, flush=True)
    rows = _rows(data)
    models = _fit_all(data, rows, arguments.processes)
    file = model_file(data.lexicon, _shipped_ones(models, "trees"), _shipped_ones(models, "net"))
    arguments.out.write_bytes(file)
    trees, nets = _log_odds(rows, models, [fold_of(s) for s in samples])
    texts = {
        name: _texts(data, shipped.mean_probability(*log_odds))
        for name, log_odds in (("trees", (trees, trees)), ("nets", (nets, nets)), ("both", (trees, nets)))
    }
    if arguments.predictions:
        predictions = {s.id: t for s, t in zip(samples, texts["both"], strict=True)}
        arguments.predictions.write_text(json.dumps(predictions), encoding="utf-8")
    scores = {name: score_by_kind(samples, found) for name, found in texts.items()}
    print(json.dumps({"model_bytes": len(file), "out_of_fold": scores}, indent=1))


if __name__ == "__main__":
    main()
