"""One tiny example of each public corpus as its reader gives it."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random

from training.corpora import fairytales, litbank, novels, squad, talks
from training.examples import FollowUp, Question, Reference
from wenmai.reader.inputs import GAP, Turn
from wenmai.reader.layout import NameKind


def saved(path: Path, rows: Iterable[object]) -> Path:
    """Write one JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


def shown(question: Question) -> tuple[str, bool, str, str]:
    """Return question, whether it is answered, answer and proof in words."""
    answer, proof = (question.passage[slice(*span)] if span else "" for span in (question.answer, question.proof))
    return question.question, question.answerable, answer, proof


def test_reading_comprehension() -> None:
    """An answer that does not stand where the corpus says is left out."""
    row = {
        "passage": "天黑了。林小满来了。她很累。",
        "questions": [
            {"question": "谁来了？", "answers": [{"text": "林小满", "start": 4}, {"text": "满", "start": 6}]},
            {"question": "谁走了？", "answers": []},
            {"question": "谁累了？", "answers": [{"text": "林小满", "start": 5}]},
        ],
    }

    assert [shown(one) for one in squad.questions(row)] == [
        ("谁来了？", True, "林小满", "林小满来了。"),
        ("谁走了？", False, "", ""),
    ]


def test_the_trial_part_has_the_same_rows(tmp_path: Path) -> None:
    asked = {"question": "谁来了？", "answers": [{"text": "林小满", "answer_start": 4}]}
    articles = {"data": [{"paragraphs": [{"context": "天黑了。林小满来了。", "qas": [asked]}]}]}
    [row] = squad.trial(saved(tmp_path / "trial.json", [articles]))

    assert [shown(one) for one in squad.questions(row)] == [("谁来了？", True, "林小满", "林小满来了。")]


def test_a_question_on_a_fairy_tale_is_asked_of_a_section_without_the_answer_too(tmp_path: Path) -> None:
    story = {
        "sections": {"1": "It rained. A red fox ate\nthe cheese.", "2": "The crow ate nothing.", "3": "It snowed."},
        "questions": [
            {"question": "Who ate?", "sections": ["1"], "answers": ["A red fox."], "explicit": True},
            {"question": "Why?", "sections": ["1", "2"], "answers": ["hunger"], "explicit": False},
        ],
    }
    found = list(fairytales.questions(saved(tmp_path / "tales.jsonl", [story]), Random(1)))

    assert [shown(one) for one in found] == [
        ("Who ate?", True, "A red fox", "A red fox ate\nthe cheese."),
        ("Who ate?", False, "", ""),
    ]
    assert found[1].passage == "The crow ate nothing."


def test_questions_on_novels(tmp_path: Path) -> None:
    """The passage that holds the quote answers; what is like a question that the product is measured on is left out."""
    filling = "却说众人在路上走了许久。" * 40
    for title in novels.NOVELS.values():
        chapters = [{"n": 1, "title": "", "text": f"张三把铜铃送给了李四。{filling}"}]
        saved(tmp_path / "novels_zh" / f"{title}.json", [{"chapters": chapters}])
    asked = {"answerable": True, "gold": [{"quote": "张三把铜铃送给了李四"}], "expect": [["李四"]]}
    rows = [{"question": "铜铃送给了谁？", **asked}, {"question": "谁病了？", "answerable": False}]
    for folder in novels.NOVELS:
        saved(tmp_path / "asked" / folder / "one.jsonl", rows if folder == "sanguo" else [])
    held_out = {"question": "谁病了？", "answerable": False}
    saved(tmp_path / "asked" / novels.LEFT_OUT / "one.jsonl", [held_out])

    found = list(novels.questions(tmp_path, tmp_path / "asked", Random(1)))

    assert [shown(one) for one in found] == [
        ("铜铃送给了谁？", True, "李四", "张三把铜铃送给了李四。"),
        ("铜铃送给了谁？", False, "", ""),
    ]
    assert "铜铃" not in found[1].passage


def test_chinese_talks(tmp_path: Path) -> None:
    """A pronoun, or the gap, stands for the entity that was named before."""
    common = {"triples": [["雨夜（电影）", "导演", "林小满"]], "history": ["雨夜是谁拍的？", "林小满。"]}
    rows = [
        {"id": "7-1", "question": "它什么时候上映？", "entity_in_question": False, "pronoun": True, **common},
        {"id": "7-2", "question": "什么时候上映？", "entity_in_question": False, "pronoun": False, **common},
        {"id": "7-3", "question": "雨夜好看吗？", "entity_in_question": True, "pronoun": False, **common},
    ]
    talk = [Turn("雨夜是谁拍的？", "林小满。")]

    assert list(talks.kdconv(saved(tmp_path / "talks.jsonl", rows))) == [
        ("7", FollowUp("它什么时候上映？", talk, [Reference((0, 1), ("雨夜",))])),
        ("7", FollowUp("什么时候上映？", talk, [Reference(GAP, ("雨夜",))])),
        ("7", FollowUp("雨夜好看吗？", talk)),
    ]


def test_english_rewritings(tmp_path: Path) -> None:
    common = {"history": ["Who is Tom Brown?"]}
    rows = [
        {"id": "5_2", "question": "Where does he live?", "rewrite": "Where does Tom Brown live?", **common},
        {"id": "5_3", "question": "Is it cold in Rome?", "rewrite": "Is it cold in Rome?", **common},
    ]
    talk = [Turn("Who is Tom Brown?", "")]

    assert list(talks.rewrites(saved(tmp_path / "talks.jsonl", rows))) == [
        ("5", FollowUp("Where does he live?", talk, [Reference((11, 13), ("Tom Brown",))])),
        ("5", FollowUp("Is it cold in Rome?", talk)),
    ]


def test_names_of_english_fiction_in_the_text_as_it_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "1_story.txt"
    path.write_text("`` Come , '' said Mr. Brown .\nHe left London , which slept .", encoding="utf-8")
    mentions = [
        ("0", "5", "0", "6", "PER", "PROP"),
        ("1", "0", "1", "0", "PER", "PRON"),
        ("1", "2", "1", "5", "GPE", "PROP"),
    ]
    rows = ["\t".join(("MENTION", "T1", *place, "words", kind, category)) for *place, kind, category in mentions]
    path.with_suffix(".ann").write_text("\n".join(rows), encoding="utf-8")

    found = litbank.names(path)

    assert found.text.startswith("“Come,” said Mr. Brown.\nHe left London, which slept.")
    assert [(found.text[start:end], kind) for start, end, kind in found.names] == [
        ("Mr. Brown", NameKind.PERSON),
        ("London", NameKind.PLACE),
    ]
    assert litbank.read(path).printed(3, 9) == (1, 6)
