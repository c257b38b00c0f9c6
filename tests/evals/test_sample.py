"""Thresholds on the sample library: a change that costs answers fails here.

They were set anew when the reader took the place of the rules that had been written beside this story: four to five
points below what was measured. `pytest tests/evals -s` prints the means.
"""

import sys

import pytest

from wenmai.experiments.questions import MEASURES
from wenmai.experiments.runner import TurnOutcome, mean

pytestmark = [pytest.mark.real_embedder, pytest.mark.costly]

# Least means, a little below what was measured when they were set.
CHINESE = {
    "recall@10": 0.91,
    "cited": 0.64,
    "words": 0.47,
    "chapters": 0.95,
    "refused": 0.65,
    "resolved": 0.54,
    "unchanged": 0.96,
}
ENGLISH = {"recall@10": 0.88, "cited": 0.76, "words": 0.68, "refused": 0.66}
MOST_WRONGLY_REFUSED = 0.24


def found(outcomes: list[TurnOutcome], measure: str) -> float:
    value = mean(outcome.scores[measure] for outcome in outcomes)
    assert value is not None, f"no question says anything about {measure}"
    sys.stdout.write(f"\n{measure} of {len(outcomes)} turns: {value:.3f}\n")
    return value


@pytest.mark.parametrize("measure", CHINESE)
def test_chinese(chinese: list[TurnOutcome], measure: str) -> None:
    """STO-18: quality on the labelled sample library stays above its thresholds."""
    assert found(chinese, measure) >= CHINESE[measure]


@pytest.mark.parametrize("measure", ENGLISH)
def test_english(english: list[TurnOutcome], measure: str) -> None:
    assert found(english, measure) >= ENGLISH[measure]


def test_few_answerable_questions_are_refused(chinese: list[TurnOutcome]) -> None:
    assert found(chinese, "wrongly_refused") <= MOST_WRONGLY_REFUSED


def test_every_measure_but_one_has_a_threshold() -> None:
    assert set(CHINESE) | {"wrongly_refused"} == set(MEASURES)


def test_every_question_was_answered_without_a_failure(chinese: list[TurnOutcome], english: list[TurnOutcome]) -> None:
    warnings = {outcome.record["warning"] for outcome in [*chinese, *english]}
    assert warnings == {None}


def test_citations_of_passages_are_verbatim(chinese: list[TurnOutcome]) -> None:
    """Every quote of a cited passage stands in the passage, character for character."""
    for outcome in chinese:
        texts = {piece["id"]: piece["text"] for piece in outcome.record["evidence"] if piece["kind"] == "passage"}
        for citation in outcome.record["citations"]:
            if citation["evidence"] in texts:
                assert citation["quote"] in texts[citation["evidence"]]


def test_a_follow_up_with_a_pronoun_is_answered_with_citations(chinese: list[TurnOutcome]) -> None:
    """S000-42: pronouns over several turns, through every tool of the toolkit."""
    follow_ups = [o for o in chinese if o.turn.self_contained is False and o.record["resolutions"]]
    assert len(follow_ups) >= 20
    assert sum(bool(o.record["citations"]) for o in follow_ups) / len(follow_ups) >= 0.66


def test_the_check_changes_no_answer_without_a_model(chinese: list[TurnOutcome], english: list[TurnOutcome]) -> None:
    """LOP-14: its answers are extracts: what stands in the evidence word for word stays as it is."""
    changed = [(outcome.record["answer"], outcome.record["notes"]) for outcome in [*chinese, *english]]
    assert [row for row in changed if row[1]] == []
