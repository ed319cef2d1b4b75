"""Train the block model and say how well it does on sites it has not seen.

    python -m bench.train_blocks --corpus PAGES.jsonl.xz [--out MODEL.npz] [--predictions OOF.json]

Every figure is out of fold, folds are split by site, and the same corpus gives the same model file. Set
OPENBLAS_NUM_THREADS=1: the trainers run side by side, and the last digits of a product depend on its threads.
"""

import argparse
import json
import sys
import time
from io import BytesIO
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from bench.blocks.dataset import Dataset, build_dataset
from bench.blocks.fit_net import Rows, fit_net
from bench.corpus import FOLDS, fold_of, load_corpus, score_by_kind
from nexus.text.extraction import model as shipped
from nexus.text.extraction.element_features import Floats
from nexus.text.extraction.features import BlockTable
from nexus.text.extraction.lexicon import Lexicon
from nexus.text.extraction.neural_net import Net, damped
from nexus.text.extraction.select_blocks import choose

_ROUNDS = 260
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
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
_EVERY_ROW = -1


class _Shared:
    """What the forked trainers inherit: half a gigabyte of rows that must not be pickled to each of them."""

    data: Dataset
    rows: Rows


def _share(data: Dataset, rows: Rows) -> None:
    _Shared.data, _Shared.rows = data, rows


def _rows(data: Dataset) -> Rows:
    """A block that is half gold says little, so it weighs little."""
    weight = (data.weights * (np.abs(2 * data.labels - 1) + 0.05) / 100).astype(np.float32)
    edges = np.searchsorted(data.page_of_row, np.arange(len(data.samples) + 1))
    return Rows(data.matrix, damped(data.matrix), data.labels, weight, edges, data.groups)


def _fit_trees(unseen: int) -> str:
    data, rows = _Shared.data, _Shared.data.fold_of_row != unseen
    weight = _Shared.rows.weights[rows] * 100
    train = lightgbm.Dataset(data.matrix[rows], (data.labels[rows] > 0.5).astype(int), weight=weight)  # noqa: PLR2004
    return str(lightgbm.train(_PARAMETERS, train, num_boost_round=_ROUNDS).model_to_string())


def _fit(unseen: int) -> tuple[str, Net]:
    started = time.monotonic()
    trees = _fit_trees(unseen)
    net = fit_net(_Shared.rows, [i for i, s in enumerate(_Shared.data.samples) if fold_of(s) != unseen])
    print(f"without fold {unseen}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return trees, net


def _fit_all(data: Dataset, rows: Rows, processes: int) -> list[tuple[lightgbm.Booster, Net]]:
    """The model to ship, then one for each fold that has not seen it."""
    with get_context("fork").Pool(processes, initializer=_share, initargs=(data, rows)) as pool:
        found = pool.map(_fit, [_EVERY_ROW, *range(FOLDS)], chunksize=1)
    return [(lightgbm.Booster(model_str=trees), net) for trees, net in found]


def _out_of_fold(rows: Rows, models: list[tuple[lightgbm.Booster, Net]], folds: list[int]) -> Floats:
    answers = []
    for (low, high), fold, groups in zip(pairwise(rows.edges.tolist()), folds, rows.groups, strict=True):
        if groups is not None:
            trees, net = models[fold]
            matrix = rows.matrix[low:high]
            log_odds = np.asarray(trees.predict(matrix, raw_score=True))
            answers.append(shipped.mean_probability(log_odds, net.log_odds(matrix, groups)))
    return np.concatenate(answers)


def _texts(data: Dataset, probability: Floats) -> list[str]:
    edges = np.searchsorted(data.page_of_row, np.arange(len(data.samples) + 1)).tolist()
    texts = []
    for page, (low, high) in zip(data.pages, pairwise(edges), strict=True):
        traits = BlockTable(data.matrix[low:high])
        kept = choose(page.layout, traits, probability[low:high]) if high > low else []
        texts.append("\n".join(page.layout.texts[i] for i in kept))
    return texts


def _flatten(tree: dict[str, Any], offset: int, arrays: dict[str, list[float]]) -> int:
    """Breadth first, so that the right child always follows the left one."""
    queue = [tree]
    depth_of = [0]
    free = 1
    for place, node in enumerate(queue):
        leaf = "leaf_value" in node
        arrays["value"].append(node["leaf_value"] if leaf else 0.0)
        arrays["feature"].append(0 if leaf else node["split_feature"])
        arrays["threshold"].append(np.inf if leaf else node["threshold"])
        arrays["left"].append(offset + (place if leaf else free))
        if not leaf:
            queue += [node["left_child"], node["right_child"]]
            depth_of += [depth_of[place] + 1] * 2
            free += 2
    return max(depth_of)


def _export(booster: lightgbm.Booster) -> dict[str, Any]:
    arrays: dict[str, list[float]] = {"value": [], "feature": [], "threshold": [], "left": []}
    roots, depth = [], 0
    for tree in booster.dump_model()["tree_info"]:
        roots.append(len(arrays["left"]))
        depth = max(depth, _flatten(tree["tree_structure"], roots[-1], arrays))
    return {
        "roots": np.array(roots, dtype=np.uint16),
        "feature": np.array(arrays["feature"], dtype=np.uint8),
        "threshold": np.array(arrays["threshold"], dtype=np.float32),
        "left": np.array(arrays["left"], dtype=np.uint16),
        "value": np.array(arrays["value"], dtype=np.float32),
        "depth": np.array(depth),
    }


def _export_net(net: Net) -> dict[str, Any]:
    return {f"net_{name}": value for name, value in ({"mean": net.mean, "spread": net.spread} | net.weights).items()}


def _export_lexicon(lexicon: Lexicon) -> dict[str, Any]:
    return {
        f"{name}_{part}": np.frombuffer("\n".join(table).encode(), dtype=np.uint8)
        if part == "words"
        else np.array(list(table.values()), dtype=np.float32)
        for name, table in (("path", lexicon.path), ("text", lexicon.text), ("weights", lexicon.weights))
        for part in ("words", "odds")
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path(shipped.__file__).with_name(shipped.MODEL_FILE))
    parser.add_argument("--predictions", type=Path, help="write the out-of-fold texts, {id: text}")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    samples = load_corpus(arguments.corpus)
    data = build_dataset(samples, arguments.processes)
    print(f"{len(samples)} pages, {len(data.matrix)} blocks", file=sys.stderr, flush=True)
    rows = _rows(data)
    (trees, net), *by_fold = _fit_all(data, rows, arguments.processes)
    texts = _texts(data, _out_of_fold(rows, by_fold, [fold_of(s) for s in samples]))
    arrays = {**_export_lexicon(data.lexicon), **_export(trees), **_export_net(net)}
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    arguments.out.write_bytes(buffer.getvalue())
    if arguments.predictions:
        predictions = {s.id: t for s, t in zip(samples, texts, strict=True)}
        arguments.predictions.write_text(json.dumps(predictions), encoding="utf-8")
    report = {"model_bytes": len(buffer.getvalue()), "out_of_fold": score_by_kind(samples, texts)}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
