"""The memory of the reader that tests share says what the model says."""

from pathlib import Path

import numpy as np

from tests.readings import RememberingModel
from tests.shipped import shipped_reader
from wenmai.reader.reader import Reader, ReaderModel


def test_what_was_read_once_is_what_the_model_says() -> None:
    reader = shipped_reader()
    assert isinstance(reader, Reader) and isinstance(reader.model, RememberingModel)
    made = reader.inputs.text(reader.inputs.asked("沈河在对岸开了什么？"))
    first = reader.model.logits(made)
    assert reader.model.logits(made) is first
    assert np.array_equal(ReaderModel.logits(reader.model, made), first)


def test_another_graph_has_its_own_memory() -> None:
    model = shipped_reader().model
    assert isinstance(model, RememberingModel)
    made = shipped_reader().inputs.text(shipped_reader().inputs.asked("谁点亮了灯塔？"))
    first, shipped = model.logits(made), model.graph
    try:
        model.graph = Path("another.onnx")
        assert model.logits(made) is not first
    finally:
        model.graph = shipped
