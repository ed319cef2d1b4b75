"""The trained forests and networks as the arrays of the model file."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import lightgbm
import numpy as np

from nexus.text.extraction.features.lexicon import Lexicon
from nexus.text.extraction.neural_net import Net


def model_file(lexicon: Lexicon, forests: Sequence[lightgbm.Booster], nets: Sequence[Net]) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, **_lexicon(lexicon), **_forest(forests), **_nets(nets))
    return buffer.getvalue()


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


def _forest(boosters: Sequence[lightgbm.Booster]) -> dict[str, Any]:
    """The trees of all of them as one forest, whose sum is their mean."""
    arrays: dict[str, list[float]] = {"value": [], "feature": [], "threshold": [], "left": []}
    roots, depth = [], 0
    for booster in boosters:
        for tree in booster.dump_model()["tree_info"]:
            roots.append(len(arrays["left"]))
            depth = max(depth, _flatten(tree["tree_structure"], roots[-1], arrays))
    return {
        "roots": np.array(roots, dtype=np.uint16),
        "feature": np.array(arrays["feature"], dtype=np.uint16),
        "threshold": np.array(arrays["threshold"], dtype=np.float32),
        "left": np.array(arrays["left"], dtype=np.uint16),
        "value": (np.array(arrays["value"]) / len(boosters)).astype(np.float32),
        "depth": np.array(depth),
    }


def _nets(nets: Sequence[Net]) -> dict[str, Any]:
    return {
        f"net{number}_{name}": value
        for number, net in enumerate(nets)
        for name, value in ({"mean": net.mean, "spread": net.spread} | net.weights).items()
    }


def _lexicon(lexicon: Lexicon) -> dict[str, Any]:
    return {
        f"{name}_{part}": np.frombuffer("\n".join(table).encode(), dtype=np.uint8)
        if part == "words"
        else np.array(list(table.values()), dtype=np.float32)
        for name, table in (("path", lexicon.path), ("text", lexicon.text), ("weights", lexicon.weights))
        for part in ("words", "odds")
    }
