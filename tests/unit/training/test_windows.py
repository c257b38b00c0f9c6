"""Labels land on the tokens that they are of, on the real tokenizer."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from training.batches import Batches
from training.examples import FollowUp, Names, Question, Reference
from training.windows import (
    FACTS,
    TASKS,
    UNKNOWN,
    Window,
    WindowFile,
    follow_up_windows,
    name_windows,
    packed,
    question_window,
)
from wenmai.embedders.e5.weights import open_weights
from wenmai.reader import decoding
from wenmai.reader.inputs import GAP, Turn, talk_text
from wenmai.reader.layout import BEGIN, COLUMNS, LONGEST, NAME_TAGS, Column, NameKind, Segment
from wenmai.reader.reader import open_inputs

WEIGHTS = open_weights()
INPUTS = open_inputs(WEIGHTS, None)
PASSAGE = "天黑了。林小满从江陵来了。她很累。"


def asked(passage: str, answer: str, proof: str) -> Window:
    at, begin = passage.index(answer), passage.index(proof)
    question = Question("谁来了？", passage, True, (at, at + len(answer)), (begin, begin + len(proof)))
    return question_window(INPUTS, question, Random(1))


def words(window: Window, text: str, tokens: list[int]) -> str:
    """Return what tokens cover of the text that they are of."""
    return "".join(text[slice(*window.made.spans[at])] for at in tokens)


@pytest.mark.parametrize("passage", [PASSAGE, "雨下得很大。" * 150 + PASSAGE + "雨下得很大。" * 150])
def test_answer_and_sentence(passage: str) -> None:
    """Of a long passage a window is kept that holds them."""
    window = asked(passage, "林小满", "林小满从江陵来了。")
    facts, labels = window.facts, window.tokens["sentence"]

    assert words(window, passage, list(range(facts["start"], facts["end"] + 1))) == "林小满"
    assert words(window, passage, [at for at, label in enumerate(labels) if label == 1]) == "林小满从江陵来了。"
    assert facts["answer"] == 1 and len(window.made.ids) <= LONGEST
    assert all(label == UNKNOWN for label, kind in zip(labels, window.made.segments, strict=True) if kind == 1)


def test_no_answer_is_the_first_token() -> None:
    window = question_window(INPUTS, Question("谁走了？", PASSAGE, answerable=False), Random(1))

    assert window.facts == {"start": 0, "end": 0, "answer": 0}
    assert set(window.tokens["sentence"]) == {0, UNKNOWN}


def test_name_tags_are_read_back_as_the_names() -> None:
    text = "林小满李雷到了江陵，夜巡队和那个人走了。"
    spans = {name: (text.index(name), text.index(name) + len(name)) for name in ("林小满", "李雷", "江陵", "夜巡队")}
    kinds = [NameKind.PERSON, NameKind.PERSON, NameKind.PLACE, NameKind.ORGANISATION]
    names = [(*span, int(kind)) for span, kind in zip(spans.values(), kinds, strict=True)]
    unknown = (text.index("那个人"), text.index("那个人") + 3, None)

    [window] = name_windows(INPUTS, Names(text, [*names, unknown]))

    tags = window.tokens["name"]
    logits = np.zeros((len(tags), COLUMNS), np.float32)
    for at, tag in enumerate(tags):
        logits[at, Column.NAME + max(tag, 0)] = 9
    assert [(one.start, one.end, one.kind) for one in decoding.names(window.made, logits)] == names
    assert words(window, text, [at for at, tag in enumerate(tags) if tag == UNKNOWN]) == "那个人"
    assert max(tags) < NAME_TAGS


def test_what_refers_and_what_it_stands_for() -> None:
    talk = [Turn("林小满是谁？", "林小满是夜宵店的送餐员。")]
    question = "她后来去了哪里？"
    references = [Reference((0, 1), ("林小满",)), Reference(GAP, ("夜宵店",))]

    finding, resolving, filling = follow_up_windows(INPUTS, FollowUp(question, talk, references))

    mentions = [at for at, tag in enumerate(finding.tokens["mention"]) if tag == BEGIN]
    assert words(finding, question, mentions) == "她"
    assert finding.facts == {"reference": 1, "gap": 1}
    for window, meant in ((resolving, "林小满林小满"), (filling, "夜宵店")):
        found = [at for at, tag in enumerate(window.tokens["antecedent"]) if tag > 0]
        assert words(window, talk_text(talk), found) == meant
    assert Segment.MENTION in resolving.made.segments[1:] and filling.made.segments[0] == Segment.MENTION


def test_a_question_that_needs_no_talk() -> None:
    [window] = follow_up_windows(INPUTS, FollowUp("林小满是谁？", [Turn("天黑了吗？", "黑了。")]))

    assert window.facts == {"reference": 0, "gap": 0}
    assert set(window.tokens["mention"]) == {0, UNKNOWN}


def test_a_batch_holds_the_labels_of_its_windows(tmp_path: Path) -> None:
    """Beside the windows a folder may hold states."""
    window = asked(PASSAGE, "林小满", "林小满从江陵来了。")
    packed([window]).save(tmp_path / "novels.npz")
    (tmp_path / "state-old.npz").write_bytes(b"no windows")

    batch = next(iter(Batches(tmp_path, WEIGHTS, seed=1)))

    length = len(window.made.ids)
    assert batch.mask[0].sum() == length and batch.segments[0, :length].tolist() == window.made.segments
    assert batch.tokens[TASKS.index("sentence"), 0, :length].tolist() == window.tokens["sentence"]
    assert (batch.tokens[:, 0, length:] == UNKNOWN).all()
    assert {fact: batch.facts[at, 0] for at, fact in enumerate(FACTS)} == {
        **dict.fromkeys(FACTS, UNKNOWN),
        **window.facts,
    }


def test_a_folder_without_windows_or_with_an_unknown_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no windows"):
        Batches(tmp_path, WEIGHTS, seed=1)
    packed([asked(PASSAGE, "林小满", PASSAGE)]).save(tmp_path / "novel.npz")
    with pytest.raises(ValueError, match=r"does not name: novel\.npz"):
        Batches(tmp_path, WEIGHTS, seed=1)


def test_windows_are_read_as_they_were_written(tmp_path: Path) -> None:
    windows = [asked(PASSAGE, "林小满", PASSAGE), *name_windows(INPUTS, Names(PASSAGE, [(4, 7, NameKind.PERSON)]))]
    packed(windows).save(tmp_path / "novels.npz")

    file = WindowFile.load(tmp_path / "novels.npz")

    assert np.diff(file.starts).tolist() == [len(window.made.ids) for window in windows]
    assert file.tokens[file.starts[1] :, TASKS.index("name")].tolist() == windows[1].tokens["name"]
    assert file.facts[0, FACTS.index("start")] == windows[0].facts["start"]
