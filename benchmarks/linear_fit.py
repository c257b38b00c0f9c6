"""Fitting of `wenmai.minds.offline.linear`: the odds of something by the signs that a question shows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]  # it ships no types
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from wenmai.minds.offline.linear import Linear

SELDOM = 4  # a sign of fewer questions is left out
STRENGTH = 1.0  # of the L1 penalty, inverse: it leaves a few hundred signs, and predicts as well as all of them


@dataclass(frozen=True, slots=True)
class Example:
    """The signs of a question, whether what is asked of it holds, and the group that it is held out with.

    `decides` tells that the offline mind goes by the signs there, rules having nothing to say.
    """

    shown: Collection[str]
    holds: bool
    group: int
    decides: bool


def fit_linear(examples: Sequence[Example]) -> Linear:
    """Fit logistic regression with an L1 penalty."""
    signs = CountVectorizer(analyzer=list, min_df=SELDOM, binary=True)
    rows = signs.fit_transform([one.shown for one in examples])
    model = LogisticRegression(C=STRENGTH, l1_ratio=1, solver="liblinear", max_iter=300, random_state=1)
    model.fit(rows, [one.holds for one in examples])
    weights = zip(signs.get_feature_names_out(), model.coef_[0], strict=True)
    kept = {str(sign): round(float(weight), 3) for sign, weight in weights if round(float(weight), 3)}
    return Linear(round(float(model.intercept_[0]), 3), kept)
