import numpy as np

from nexus.services.extraction.blocks import collect_blocks
from nexus.services.extraction.features import SECOND_WIDTH, block_features
from nexus.services.extraction.hints import read_hints
from nexus.services.extraction.model import Forest, shipped_model
from nexus.services.extraction.parse import parse_html
from nexus.services.extraction.select import best_expected_f1

PAGE = (
    "<html><head><title>Wind</title></head><body><nav><a href='/'>Home</a></nav><main><h1>Wind</h1><p>"
    + "The keeper wrote one line a day, and on most days it was about the wind. " * 5
    + "</p></main><footer>© 2026 All rights reserved</footer></body></html>"
)


def test_a_forest_is_walked_left_at_the_threshold_and_right_above_it() -> None:
    stump = Forest(
        roots=np.array([0], dtype=np.int32),
        feature=np.array([1, 0, 0], dtype=np.int32),
        threshold=np.array([2.0, np.inf, np.inf], dtype=np.float32),
        left=np.array([1, 1, 2], dtype=np.int32),
        value=np.array([0.0, -4.0, 4.0], dtype=np.float32),
        depth=3,
        bias=0.0,
    )
    rows = np.array([[9, 2.0], [9, 2.5]], dtype=np.float32)
    assert stump.probabilities(rows).round(2).tolist() == [np.float32(0.02), np.float32(0.98)]


def test_the_shipped_model_fits_the_features() -> None:
    model, root = shipped_model(), parse_html(PAGE)
    body = root.find("body")
    assert body is not None
    table = block_features(collect_blocks(body), read_hints(root), model.lexicon)
    first = model.first.probabilities(table.matrix)
    second = table.second_look(first)
    assert int(model.first.feature.max()) < table.matrix.shape[1]
    assert SECOND_WIDTH < int(model.second.feature.max()) < second.shape[1]
    answers = model.second.probabilities(second)
    assert answers[2] > 0.8
    assert max(answers[0], answers[-1]) < 0.3


def test_expected_f1_keeps_the_sure_and_weighs_the_unsure_by_size() -> None:
    sure = best_expected_f1(
        np.array([0.9, 0.05, 0.8], dtype=np.float32), np.array([50, 50, 50], dtype=np.float32)
    )
    assert sure.tolist() == [True, False, True]
    unsure = best_expected_f1(
        np.array([0.35, 0.3, 0.3], dtype=np.float32), np.array([50, 50, 50], dtype=np.float32)
    )
    assert unsure.all()
