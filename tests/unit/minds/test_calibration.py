"""From signs to probabilities, whatever the fitted numbers are."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenmai.minds.offline.calibration import REFUSAL, Signs, answered, calibrated

LOG_ODDS, SHARES = st.floats(-8, 8), st.floats(0, 1)
SIGNS = st.builds(Signs, LOG_ODDS, LOG_ODDS, LOG_ODDS, SHARES, SHARES)


@pytest.mark.parametrize("sign", [one.name for one in fields(Signs)])
@given(SIGNS, st.floats(0.01, 5))
def test_more_of_a_sign_makes_an_answer_more_probable(sign: str, signs: Signs, more: float) -> None:
    stronger = replace(signs, **{sign: getattr(signs, sign) + more})

    assert 0 < calibrated(answered(signs)) < calibrated(answered(stronger)) < 1


@pytest.mark.parametrize(("score", "probability"), [(-1000.0, 0.0), (1000.0, 1.0), (float("-inf"), 0.0)])
def test_no_score_is_too_large(score: float, probability: float) -> None:
    assert calibrated(score) == pytest.approx(probability)


def test_an_answer_without_any_sign_is_refused() -> None:
    assert calibrated(answered(Signs(-8, -8, -8, 0, 0))) < REFUSAL < calibrated(answered(Signs(8, 8, 8, 1, 1)))
