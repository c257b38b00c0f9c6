"""The reader measured on a file of questions in SQuAD's format."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from training.measure import measure


def saved(path: Path, context: str, asked: Sequence[tuple[str, str]]) -> Path:
    """Write a file in SQuAD's format; an empty answer is none."""
    qas = [
        {"question": question, "answers": [{"text": said, "answer_start": context.index(said)}] if said else []}
        for question, said in asked
    ]
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": context, "qas": qas}]}]}), encoding="utf-8")
    return path


@pytest.mark.parametrize("as_read", [False, True])
def test_measure_tells_the_kinds_of_questions(tmp_path: Path, as_read: bool) -> None:
    context = "林小满在江陵开了一家药铺。她的弟弟林山去了北方，再也没有回来。"
    asked = [("谁开了一家药铺？", "林小满"), ("林山去了哪里？", "北方"), ("药铺是谁烧掉的？", "")]
    found = measure(saved(tmp_path / "asked.json", context, asked), None, as_read=as_read)

    assert found["all"]["n"] == 3 and found["who"]["n"] == 2 and found["where"]["sentence"] == 1
    assert 0 <= found["all"]["f1"] <= 1 and "auc" in found["all"]


def test_measure_refuses_another_format(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"rows": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="SQuAD"):
        measure(path, None, as_read=False)
