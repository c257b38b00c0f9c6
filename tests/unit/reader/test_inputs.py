"""Texts as inputs of the encoder, on the real tokenizer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.scripts import simplified
from wenmai.embedders.e5.weights import open_weights
from wenmai.reader.inputs import Turn, talk_text
from wenmai.reader.layout import LONGEST, LONGEST_TALK, Segment
from wenmai.reader.reader import open_inputs

WEIGHTS = open_weights()
INPUTS = open_inputs(WEIGHTS, None)
TOKENIZER = INPUTS.tokenizer


@given(st.text(min_size=1, max_size=60))
def test_pieces_are_located_in_the_text_as_they_are_encoded(text: str) -> None:
    located = TOKENIZER.locate(text)

    assert [piece for piece, _, _ in located] == TOKENIZER.encode(simplified(text))
    assert all(0 <= start <= end <= len(text) for _, start, end in located if text)
    starts = [start for _, start, _ in located]
    assert starts == sorted(starts)


@pytest.mark.parametrize("text", ["林小满来了。", "  Tom  went home", "①２ 号", "Mr. Brown’s\nhouse"])
def test_offsets_lead_back_to_the_words(text: str) -> None:
    covered = {at for _, start, end in TOKENIZER.locate(text) for at in range(start, end)}

    assert {at for at, letter in enumerate(text) if not letter.isspace()} <= covered


def test_a_question_and_its_passage_have_kinds_and_an_end_each() -> None:
    made = INPUTS.question(INPUTS.asked("谁来了？"), TOKENIZER.locate("林小满来了。"))

    assert made.ids[0] == WEIGHTS.pieces.begin
    assert made.ids.count(WEIGHTS.pieces.end) == 2
    assert sorted(set(made.segments)) == [Segment.QUESTION, Segment.PASSAGE]
    assert len(made.ids) == len(made.segments) == len(made.spans)


def test_a_long_passage_is_cut_to_the_longest_input() -> None:
    made = INPUTS.question(INPUTS.asked("谁来了？"), TOKENIZER.locate("林小满来了。" * 200))

    assert len(made.ids) == LONGEST


def test_of_a_long_talk_the_end_is_kept() -> None:
    talk = talk_text([Turn(f"第{n}个问题？", f"第{n}个回答。") for n in range(60)])

    made = INPUTS.follow_up("那他呢？", talk)

    said = [span for span, kind in zip(made.spans, made.segments, strict=True) if kind == Segment.TALK and span[1]]
    assert len(said) == LONGEST_TALK
    assert talk[said[-1][0] : said[-1][1]] == talk[-len(talk[said[-1][0] :]) :]


def test_the_mention_whose_antecedent_is_wanted_is_marked() -> None:
    question = "他后来呢？"

    marked = INPUTS.follow_up(question, "Q: 张三是谁？", (0, 1))
    gap = INPUTS.follow_up(question, "Q: 张三是谁？", (0, 0))

    [at] = [at for at, kind in enumerate(marked.segments) if kind == Segment.MENTION]
    assert question[slice(*marked.spans[at])] == "他"
    assert [at for at, kind in enumerate(gap.segments) if kind == Segment.MENTION] == [0]
