"""Logits to spans, on logits that are written by hand."""

import numpy as np

from wenmai.reader import decoding
from wenmai.reader.inputs import Input
from wenmai.reader.layout import BEGIN, COLUMNS, INSIDE, Column, Segment


def logits(tokens: int) -> np.ndarray:
    return np.zeros((tokens, COLUMNS), np.float32)


def passage(tokens: int) -> Input:
    """One token of a question, then a passage of tokens one character long."""
    spans = [(0, 0), (0, 1), (0, 0), *((at, at + 1) for at in range(tokens)), (0, 0)]
    kinds = [Segment.QUESTION] * 3 + [Segment.PASSAGE] * (tokens + 1)
    return Input(list(range(len(spans))), [int(kind) for kind in kinds], spans)


def test_the_best_span_ends_behind_its_start() -> None:
    made, found = passage(5), logits(9)
    found[3 + 3, Column.START] = 5
    found[3 + 1, Column.END] = 8
    found[3 + 4, Column.END] = 4

    answer = decoding.answer(made, found)

    assert answer is not None
    assert answer.span == (3, 5)
    assert answer.margin == 9


def test_the_margin_is_against_no_answer() -> None:
    made, found = passage(3), logits(7)
    found[0, [Column.START, Column.END]] = 4

    answer = decoding.answer(made, found)

    assert answer is not None
    assert answer.margin == -8


def test_a_sentence_scores_the_mean_of_its_tokens() -> None:
    made, found = passage(4), logits(8)
    found[3:5, Column.SENTENCE] = [1, 3]

    answer = decoding.answer(made, found)

    assert answer is not None
    assert answer.sentence((0, 2)) == 2
    assert answer.sentence((2, 4)) == 0


def test_an_empty_passage_has_no_answer() -> None:
    assert decoding.answer(passage(0), logits(4)) is None


def test_two_names_side_by_side_are_two() -> None:
    made = Input([0, 1, 2, 3, 4], [Segment.TEXT] * 5, [(0, 0), (0, 2), (2, 3), (3, 5), (0, 0)])
    found = logits(5)
    person, place = Column.NAME + BEGIN, Column.NAME + 2 + BEGIN
    found[1, person] = found[2, Column.NAME + INSIDE] = found[3, place] = 9

    names = decoding.names(made, found)

    assert [(name.start, name.end, name.kind) for name in names] == [(0, 3, 0), (3, 5, 1)]


def test_antecedents_are_at_least_half_as_likely_as_the_best() -> None:
    spans = [(0, 0), (0, 1), (0, 0), (0, 2), (2, 4), (4, 6), (0, 0)]
    made = Input(list(range(7)), [int(Segment.FOLLOW_UP)] * 3 + [int(Segment.TALK)] * 4, spans)
    found = logits(7)
    found[3:6, Column.ANTECEDENT] = [0, 9, 0]
    found[3, Column.ANTECEDENT + BEGIN] = 2
    found[5, Column.ANTECEDENT + BEGIN] = 2

    places = decoding.antecedents(made, found)

    assert [(place.start, place.end) for place in places] == [(0, 2), (4, 6)]
