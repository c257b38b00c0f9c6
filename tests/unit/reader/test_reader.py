"""The reader over texts that are longer than one input, with a model that is told what is a name."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shipped import shipped_reader
from wenmai.embedders.e5.weights import open_weights
from wenmai.embedders.runtime import open_session
from wenmai.reader.decoding import Logits
from wenmai.reader.inputs import Input
from wenmai.reader.layout import BEGIN, COLUMNS, INSIDE, LONGEST, Column
from wenmai.reader.reader import LOGITS, SEGMENTS, WORDS, Reader, ReaderModel, open_inputs

INPUTS = open_inputs(open_weights(), None)


class ScriptedModel(ReaderModel):
    """Tags the tokens of these spans as people; `asked` are the inputs."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.spans = spans
        self.asked: list[Input] = []

    def logits(self, made: Input) -> Logits:
        self.asked.append(made)
        found = np.zeros((len(made.ids), COLUMNS), np.float32)
        for low, high in self.spans:
            inside = [at for at, (start, end) in enumerate(made.spans) if low <= start < end <= high]
            for order, at in enumerate(inside):
                found[at, Column.NAME + (INSIDE if order else BEGIN)] = 9
        return found


@pytest.mark.parametrize("before", range(12))
def test_a_name_at_the_seam_of_two_windows_is_found_once_and_whole(before: int) -> None:
    sentence = "林小满说，下雨了。"
    text = "雪" * before + sentence * 80
    spans = [(at, at + 3) for at in range(before, len(text), len(sentence))]
    model = ScriptedModel(spans)

    found = Reader(model, INPUTS, Path("reader.onnx")).names(text)

    assert len(model.asked) > 1 and all(len(made.ids) <= LONGEST for made in model.asked)
    assert [(name.start, name.end) for name in found] == spans


def test_an_empty_text_has_no_names() -> None:
    assert Reader(ScriptedModel([]), INPUTS, Path("reader.onnx")).names("") == []


class CountingSession:
    """Counts how often it is run."""

    def __init__(self) -> None:
        self.runs = 0

    def run(self, names: list[str], given: dict[str, Any]) -> list[Any]:
        assert names == [LOGITS] and given.keys() == {WORDS, SEGMENTS}
        self.runs += 1
        return [np.full((1, given[SEGMENTS].shape[1], COLUMNS), self.runs, np.float32)]


def test_an_input_is_read_once() -> None:
    """The same words under another question are another input; what is kept cannot be changed by who gets it."""
    session: Any = CountingSession()
    model = ReaderModel(open_weights(), session)
    first, second = (INPUTS.question(INPUTS.asked(asked), INPUTS.asked("沈河开了店。")) for asked in ("谁？", "何时？"))
    found = model.kept_logits(first)
    assert model.kept_logits(first) is found and not np.array_equal(model.kept_logits(second)[0], found[0])
    assert session.runs == 2 and not found.flags.writeable


def test_what_was_kept_is_what_the_model_says() -> None:
    reader = shipped_reader()
    assert isinstance(reader, Reader)
    made = reader.inputs.text(reader.inputs.asked("沈河在对岸开了什么？"))
    anew = ReaderModel(open_weights(), open_session(reader.graph))
    assert anew is not reader.model and np.array_equal(anew.logits(made), reader.model.logits(made))
