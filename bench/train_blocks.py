"""Train the block model and say how well it does on sites it has not seen.

    python -m bench.train_blocks --corpus PAGES.jsonl.xz [--out MODEL.npz] [--predictions OOF.json]

Two looks: the first reads a block and its surroundings, the second the first one's answers around it.
Every figure is out of fold, folds are split by site, and the same corpus gives the same model file.
"""

import argparse
import json
import sys
import time
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from bench.corpus import FOLDS, load_corpus, score_by_kind
from bench.dataset import Dataset, build_dataset, learn_lexicon
from nexus.services.extraction import model as shipped
from nexus.services.extraction.lexicon import Lexicon
from nexus.services.extraction.nodes import Floats
from nexus.services.extraction.select import best_expected_f1

_ROUNDS = (160, 80)
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
    "num_threads": 2,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}


def _fit(matrix: Floats, data: Dataset, rows: Any, rounds: int) -> lightgbm.Booster:
    """A block that is half gold says little, so it weighs little."""
    weight = data.weights * (np.abs(2 * data.labels - 1) + 0.05)
    train = lightgbm.Dataset(matrix[rows], (data.labels[rows] > 0.5).astype(int), weight=weight[rows])  # noqa: PLR2004
    return lightgbm.train(_PARAMETERS, train, num_boost_round=rounds)


def _out_of_fold(matrix: Floats, data: Dataset, rounds: int) -> Floats:
    answer = np.zeros(len(matrix), dtype=np.float32)
    for fold in range(FOLDS):
        started = time.monotonic()
        unseen = data.fold_of_row == fold
        answer[unseen] = _fit(matrix, data, ~unseen, rounds).predict(matrix[unseen])
        print(f"fold {fold}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return answer


def _page_rows(data: Dataset) -> list[slice]:
    edges = np.searchsorted(data.page_of_row, np.arange(len(data.samples) + 1)).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


def _second_matrix(data: Dataset, first: Floats) -> Floats:
    rows = _page_rows(data)
    return np.concatenate(
        [t.second_look(first[r]) for t, r in zip(data.tables, rows, strict=True) if t], dtype=np.float32
    )


def _texts(data: Dataset, probability: Floats) -> list[str]:
    texts = []
    for page, table, rows in zip(data.pages, data.tables, _page_rows(data), strict=True):
        kept = best_expected_f1(probability[rows], table.words).tolist() if table else []
        texts.append("\n".join(t for t, keep in zip(page.texts, kept, strict=True) if keep))
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


def _export(name: str, booster: lightgbm.Booster) -> dict[str, Any]:
    arrays: dict[str, list[float]] = {"value": [], "feature": [], "threshold": [], "left": []}
    roots, depth = [], 0
    for tree in booster.dump_model()["tree_info"]:
        roots.append(len(arrays["left"]))
        depth = max(depth, _flatten(tree["tree_structure"], roots[-1], arrays))
    return {
        f"{name}_roots": np.array(roots, dtype=np.uint16),
        f"{name}_feature": np.array(arrays["feature"], dtype=np.uint8),
        f"{name}_threshold": np.array(arrays["threshold"], dtype=np.float32),
        f"{name}_left": np.array(arrays["left"], dtype=np.uint16),
        f"{name}_value": np.array(arrays["value"], dtype=np.float32),
        f"{name}_depth": np.array(depth),
        f"{name}_bias": np.array(0.0),
    }


def _export_lexicon(lexicon: Lexicon) -> dict[str, Any]:
    return {
        f"{name}_{part}": np.frombuffer("\n".join(table).encode(), dtype=np.uint8)
        if part == "words"
        else np.array(list(table.values()), dtype=np.float32)
        for name, table in (("path", lexicon.path), ("text", lexicon.text))
        for part in ("words", "odds")
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
    first = _out_of_fold(data.matrix, data, _ROUNDS[0])
    second_matrix = _second_matrix(data, first)
    second = _out_of_fold(second_matrix, data, _ROUNDS[1])
    texts = _texts(data, second)
    report = {
        "first_look": score_by_kind(samples, _texts(data, first)),
        "both_looks": score_by_kind(samples, texts),
    }
    every = np.ones(len(data.matrix), dtype=np.bool_)
    arrays = {
        **_export_lexicon(learn_lexicon(samples, data.pages, None)),
        **_export("first", _fit(data.matrix, data, every, _ROUNDS[0])),
        **_export("second", _fit(second_matrix, data, every, _ROUNDS[1])),
    }
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    arguments.out.write_bytes(buffer.getvalue())
    if arguments.predictions:
        predictions = {s.id: t for s, t in zip(samples, texts, strict=True)}
        arguments.predictions.write_text(json.dumps(predictions), encoding="utf-8")
    print(json.dumps({"model_bytes": len(buffer.getvalue()), **report}, indent=1))


if __name__ == "__main__":
    main()
