"""The trees that weigh who is meant: read, evaluated, and the same as those who fitted them."""

import lightgbm
import numpy as np
import pytest

from benchmarks.trees_fit import flattened
from wenmai.minds.offline import weighing
from wenmai.minds.offline.trees import LEAF, loaded
from wenmai.minds.offline.trees import read as trees_of

STUMP = {
    "split_feature": 1,
    "decision_type": "<=",
    "threshold": 0.5,
    "left_child": {"leaf_value": -1.0},
    "right_child": {
        "split_feature": 0,
        "decision_type": "<=",
        "threshold": 2.0,
        "left_child": {"leaf_value": 0.25},
        "right_child": {"leaf_value": 4.0},
    },
}


def test_a_row_goes_left_where_its_value_is_not_above_the_threshold() -> None:
    """LOP-09: the sum of all trees, each by its own path; a tree of one leaf adds that leaf."""
    kept = flattened([{"tree_structure": STUMP}, {"tree_structure": {"leaf_value": 10.0}}], ["a", "b"])
    found = trees_of(kept)
    assert found.columns == ("a", "b")
    assert found.depth == 2
    assert found.scores([[9.0, 0.5], [2.0, 0.6], [2.1, 0.6]]) == [9.0, 10.25, 14.0]


def test_they_score_as_the_library_that_fitted_them() -> None:
    """LOP-09: what is read back predicts what LightGBM predicts."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(400, 6)).round(2)
    data = lightgbm.Dataset(rows, (rows[:, 0] * rows[:, 3] > 0).astype(float))
    booster = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1, "seed": 3}, data, 20)
    kept = flattened(booster.dump_model()["tree_info"], [f"c{at}" for at in range(6)])
    expected = np.asarray(booster.predict(rows[:50], raw_score=True))
    assert np.ptp(expected) > 1
    assert trees_of(kept).scores(rows[:50].tolist()) == pytest.approx(expected.tolist(), abs=1e-3)


def test_the_trees_that_are_shipped_read_the_columns_that_are_made() -> None:
    """LOP-09: a column that is added or moved needs a new fit."""
    found = loaded(weighing.TREES)
    assert found.columns == weighing.COLUMNS
    assert set(found.column.tolist()) <= {LEAF, *range(len(found.columns))}
