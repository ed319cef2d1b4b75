"""What a block is told of its surroundings, and that the gradient of the training is that of its loss."""

from typing import Any

import numpy as np
import pytest
from bench.blocks import fit_net

from nexus.text.extraction.features.block_groups import Groups
from nexus.text.extraction.features.block_table import OWN_NAMES
from nexus.text.extraction.features.context_features import BlockRanges
from nexus.text.extraction.neural_net import Net, damped, tag_columns

COLUMNS = len(OWN_NAMES)


def groups_of(count: int) -> Groups:
    """Level n holds the block and up to n on either side; every third block is of one template."""
    at, reach = np.arange(count)[:, None], np.arange(1, 6)
    return Groups.of(BlockRanges(np.maximum(at - reach, 0), np.minimum(at + reach + 1, count)), np.arange(count) % 3)


def test_a_block_gets_features_of_its_neighbours_containers_and_template() -> None:
    groups = groups_of(5)
    values = np.array([[1], [2], [4], [8], [16]], dtype=np.float32)
    assert groups.beside(values, 1)[:, 0].tolist() == [0, 1, 2, 4, 8]
    assert groups.beside(values, -2)[:, 0].tolist() == [4, 8, 16, 0, 0]
    assert groups.of_level(values, 0)[:, 0].tolist() == pytest.approx([6.2] * 5)
    assert groups.of_level(values, 1)[:, 0].tolist() == pytest.approx([1.5, 7 / 3, 14 / 3, 28 / 3, 12])
    assert groups.of_template(values)[:, 0].tolist() == [4.5, 9, 4, 4.5, 9]


def test_pages_of_a_batch_do_not_influence_each_other() -> None:
    both = fit_net.join([groups_of(2), groups_of(3)])
    values = np.array([[1], [3], [5], [7], [9]], dtype=np.float32)
    assert both.beside(values, 1)[:, 0].tolist() == [0, 1, 0, 5, 7]
    assert both.of_level(values, 0)[:, 0].tolist() == [2, 2, 7, 7, 7]
    assert both.of_template(values)[:, 0].tolist() == [1, 3, 5, 7, 9]


@pytest.fixture
def rows() -> fit_net.Rows:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((12, COLUMNS)).astype(np.float32)
    matrix[:, OWN_NAMES.index("tag_code")] = rng.integers(0, 30, 12)
    labels = np.array([0, 1] * 6, dtype=np.float32)
    share = np.full(12, 1 / 6, dtype=np.float32)
    return fit_net.Rows(matrix, damped(matrix), labels, share, np.array([0, 5, 12]), [groups_of(5), groups_of(7)])


def loss(log_odds: Any, rows: fit_net.Rows) -> float:
    p, y = 1 / (1 + np.exp(-log_odds)), rows.labels
    return float(-(rows.weights * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum()) / 2


def test_the_slopes_are_those_of_the_loss(rows: fit_net.Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_net, "_DROPPED", 0.0)
    rng = np.random.default_rng(7)
    (batch,) = fit_net.batches(rows, [0, 1])
    weights: dict[str, Any] = {k: v.astype(np.float64) for k, v in fit_net.new_weights(COLUMNS + 30, rng).items()}
    inputs: Any = np.hstack([rows.damped, tag_columns(rows.matrix)]).astype(np.float64)
    way = fit_net.Pass(weights, batch, rng)
    slopes = way.backward(fit_net.slope_of_loss(way.forward(inputs), rows, batch))
    for name, values in weights.items():
        place = np.unravel_index(np.abs(slopes[name]).argmax(), values.shape)
        found = []
        for step in (1e-4, -2e-4):
            values[place] += step
            found.append(loss(fit_net.Pass(weights, batch, rng).forward(inputs), rows))
        values[place] += 1e-4
        assert (found[0] - found[1]) / 2e-4 == pytest.approx(slopes[name][place], rel=0.02, abs=1e-4), name


def test_training_learns_the_labels_and_gives_the_same_net_again(
    rows: fit_net.Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_net, "_EPOCHS", 60)
    first, second = fit_net.fit_net(rows, [0, 1]), fit_net.fit_net(rows, [0, 1])
    assert all((first.weights[k] == second.weights[k]).all() for k in first.weights)
    answers = [first.log_odds(rows.matrix[a:b], g) for a, b, g in ((0, 5, groups_of(5)), (5, 12, groups_of(7)))]
    assert ((np.concatenate(answers) > 0) == (rows.labels > 0)).all()


def test_a_page_gets_the_same_answer_alone_and_in_a_batch(rows: fit_net.Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_net, "_DROPPED", 0.0)
    rng = np.random.default_rng(7)
    weights = fit_net.new_weights(COLUMNS + 30, rng)
    (batch,) = fit_net.batches(rows, [0, 1])
    inputs = np.hstack([rows.damped.clip(-4, 4), tag_columns(rows.matrix)])
    together = fit_net.Pass(weights, batch, rng).forward(inputs)
    net = Net(np.zeros(COLUMNS, np.float32), np.ones(COLUMNS, np.float32), weights)
    assert net.log_odds(rows.matrix[:5], groups_of(5)) == pytest.approx(together[:5], abs=1e-5)
    assert net.log_odds(rows.matrix[5:], groups_of(7)) == pytest.approx(together[5:], abs=1e-5)
