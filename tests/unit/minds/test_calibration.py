"""From signs to probabilities, whatever the fitted numbers are."""

from dataclasses import astuple, fields

import pytest

from wenmai.minds.offline.calibration import REFUSAL, WEIGHTS, Signs, answered, calibrated

SIZE = len(fields(Signs))


def test_a_score_is_the_weighted_sum_of_the_signs() -> None:
    weights = list(astuple(WEIGHTS))
    alone = [Signs(*[float(at == one) for at in range(SIZE)]) for one in range(SIZE)]

    assert [answered(one) for one in alone] == pytest.approx(weights)
    assert answered(Signs(*map(float, range(SIZE)))) == pytest.approx(sum(at * one for at, one in enumerate(weights)))


def test_no_sign_of_an_answer_speaks_against_it() -> None:
    assert min(WEIGHTS.margin, WEIGHTS.answerable, WEIGHTS.sentence, WEIGHTS.named, WEIGHTS.worded) >= 0
    assert max(astuple(WEIGHTS)) > 0


def test_probabilities_rise_with_the_score_between_nothing_and_surely() -> None:
    found = [calibrated(score) for score in (-60.0, -5.0, 0.0, 5.0, 60.0)]

    assert found == sorted(found) and len(set(found)) == len(found)
    assert found[0] < 0.01 and found[-1] > 0.99
    assert 0.0 < REFUSAL < 0.5
