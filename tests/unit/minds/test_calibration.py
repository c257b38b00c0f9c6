"""From signs to probabilities, whatever the fitted numbers are."""

from dataclasses import astuple, fields, replace

import pytest

from wenmai.minds.offline.calibration import REFUSAL, WEIGHTS, Signs, answered, calibrated

SIGNS = Signs(margin=1.0, answerable=1.0, sentence=1.0, named=0.5, worded=0.5, rank=2.0)


def test_a_score_is_the_weighted_sum_of_the_signs() -> None:
    unit = [replace(Signs(*[0.0] * 6), **{field.name: 1.0}) for field in fields(Signs)]

    assert [answered(one) for one in unit] == pytest.approx(list(astuple(WEIGHTS)))
    assert answered(SIGNS) == pytest.approx(
        WEIGHTS.margin
        + WEIGHTS.answerable
        + WEIGHTS.sentence
        + 0.5 * (WEIGHTS.named + WEIGHTS.worded)
        + 2 * WEIGHTS.rank
    )


def test_a_later_piece_is_a_worse_one_and_a_name_a_better_one() -> None:
    assert answered(replace(SIGNS, rank=7.0)) <= answered(SIGNS)
    assert answered(replace(SIGNS, named=1.0)) >= answered(SIGNS)


def test_probabilities_rise_with_the_score_between_nothing_and_surely() -> None:
    found = [calibrated(score) for score in (-60.0, -5.0, 0.0, 5.0, 60.0)]

    assert found == sorted(found) and len(set(found)) == len(found)
    assert found[0] < 0.01 and found[-1] > 0.99
    assert 0.0 < REFUSAL < 0.5
